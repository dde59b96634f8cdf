"""What was said in sessions, read from what six clients keep of them on the disk."""
