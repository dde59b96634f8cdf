"""Shared by both ends of palimp's socket; no socket, no database. The relay's imports are standard library only."""

__version__ = "0.1.0"
