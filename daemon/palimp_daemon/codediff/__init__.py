"""Diffs, normalized lines, fingerprints and matching of code: pure functions."""
