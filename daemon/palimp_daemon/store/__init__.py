"""The database: one connection, used by one thread, and one module of SQL per family of tables."""
