"""The project's markdown documents: files, index and search."""
