"""Replies as the text that a model reads: within a token budget, and saying so when something was cut."""
