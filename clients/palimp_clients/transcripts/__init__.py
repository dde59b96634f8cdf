"""Conversations, read from clients' files and databases."""
