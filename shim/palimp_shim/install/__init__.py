"""Our programs' places, and the daemon as a systemd service."""
