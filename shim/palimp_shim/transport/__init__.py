"""Short-lived processes' way to the daemon: dialing, connection, ZMTP."""
