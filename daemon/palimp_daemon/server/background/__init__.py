"""What the daemon does by itself, one module for each task."""
