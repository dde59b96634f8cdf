"""Shared by every layer: logging, threads, files, locks, the operating system."""
