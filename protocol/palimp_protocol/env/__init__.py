"""Paths, project, platform and file locks, derived from the environment."""
