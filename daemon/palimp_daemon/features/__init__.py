"""What palimp can do, one package for each feature."""
