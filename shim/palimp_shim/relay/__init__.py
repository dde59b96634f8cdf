"""A session's stdio relay."""
