"""The dispatcher, the services, and all handlers."""
