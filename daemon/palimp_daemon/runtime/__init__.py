"""Shared by all layers: logging, threads, files, locks, the system."""
