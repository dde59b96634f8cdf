"""Examine an installation: problems, and their remedies."""
