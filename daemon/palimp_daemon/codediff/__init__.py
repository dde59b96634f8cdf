"""Pure functions on code: diffs, normalized lines, fingerprints, matching."""
