"""Requests and replies, one module for each family."""
