"""Which settings are in force, and how they are read and written."""
