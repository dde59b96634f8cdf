"""Commands of removed code."""
