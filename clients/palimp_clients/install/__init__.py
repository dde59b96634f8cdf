"""Putting palimp into a client's files, and taking it out again without a trace."""
