"""Commands of the installation: clients, daemon, settings, store."""
