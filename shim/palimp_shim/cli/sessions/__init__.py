"""Commands of sessions and conversations."""
