"""One module of SQL for each family of tables; families that are many modules have a folder."""
