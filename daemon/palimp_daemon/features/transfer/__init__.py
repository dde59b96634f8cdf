"""Export, backup, and import from palimp and from other programs."""
