"""Examine an installation: problems and remedies."""
