"""Languages: a file of words each, and their recognition."""
