"""The stdio relay of one session."""
