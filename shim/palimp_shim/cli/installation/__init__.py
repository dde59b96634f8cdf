"""Commands on clients, daemon, settings, and store."""
