"""Comparing what is stored with what was written: structure, checksums, derived indexes; rebuilding those."""
