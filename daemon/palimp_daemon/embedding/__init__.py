"""Semantic ranking: when texts are embedded, and the child process that does it."""
