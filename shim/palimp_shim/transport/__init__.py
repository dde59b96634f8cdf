"""How a short-lived process reaches the daemon: dialing, the connection, ZMTP."""
