"""Decide which of two memories holds. Pure: callers read the memories."""
