"""A short-lived process's way to the daemon: dialing, the connection, ZMTP."""
