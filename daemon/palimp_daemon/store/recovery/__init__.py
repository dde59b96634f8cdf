"""How a damaged database is repaired."""
