"""OpenCode."""
