"""The statements that make a team's schema in PostgreSQL."""
