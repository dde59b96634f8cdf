"""Settings: values in force, reading and writing their files."""
