"""Programs for clients' events. Standard library only."""
