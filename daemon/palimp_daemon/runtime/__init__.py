"""What every layer may use: logging, threads, files, locks, the operating system."""
