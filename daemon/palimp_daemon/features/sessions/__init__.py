"""Hooks, contexts, projects and the history of sessions."""
