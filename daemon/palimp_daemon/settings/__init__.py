"""Settings: the values in force, and their files."""
