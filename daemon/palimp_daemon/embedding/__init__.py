"""Semantic ranking, and the child process that embeds texts."""
