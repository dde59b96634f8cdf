"""Requests and replies, one module per family."""
