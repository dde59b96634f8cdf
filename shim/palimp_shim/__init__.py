"""Short-lived programs: a session's relay, and the command line."""
