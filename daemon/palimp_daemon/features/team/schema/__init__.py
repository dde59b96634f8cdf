"""The SQL of a team's schema."""
