"""Where our programs are, and the daemon as a service of systemd's."""
