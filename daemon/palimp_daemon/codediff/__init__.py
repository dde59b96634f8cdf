"""Pure functions on code: diffs, normalized lines, fingerprints and matching."""
