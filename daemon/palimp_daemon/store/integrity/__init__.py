"""Detect damage: checksums, the commit counter, the identity of the file."""
