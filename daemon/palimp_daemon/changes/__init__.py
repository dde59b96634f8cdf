"""Code that was added and removed: diffs, fingerprints, matching, and reading git's history. Values and git only."""
