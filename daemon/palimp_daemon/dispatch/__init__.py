"""The dispatcher, the services, and the handlers of every operation."""
