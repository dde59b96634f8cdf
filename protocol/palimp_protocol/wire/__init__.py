"""Frames, and their bodies as requests and replies."""
