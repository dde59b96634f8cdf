"""Shared by both ends of palimp's socket; no socket, no database; standard library only in relay imports."""

__version__ = "0.1.0"
