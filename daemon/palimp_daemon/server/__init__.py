"""The process, its socket, its background tasks and its end."""
