"""Background tasks of the daemon, a module each."""
