"""Saving, recalling, merging and deleting memories."""
