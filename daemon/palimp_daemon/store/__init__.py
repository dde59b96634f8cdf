"""The database: one connection, used by one thread; SQL in a module per family of tables."""
