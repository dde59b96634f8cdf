"""Documents: markdown files of a project and their index. Files are the truth; nothing here knows the database."""
