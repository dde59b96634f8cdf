"""What was said in sessions and in git's commit messages, kept word for word."""
