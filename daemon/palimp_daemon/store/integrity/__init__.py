"""Detect damage: checksums, commit counter, file identity."""
