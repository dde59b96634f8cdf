"""One module of SQL for each family of tables."""
