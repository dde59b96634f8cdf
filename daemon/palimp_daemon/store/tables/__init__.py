"""SQL by families of tables."""
