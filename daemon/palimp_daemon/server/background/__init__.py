"""Background tasks of the daemon, a module each; they run until cancelled."""
