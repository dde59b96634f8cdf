"""Extracting memories from transcripts."""
