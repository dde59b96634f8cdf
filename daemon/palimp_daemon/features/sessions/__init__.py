"""Hooks, session context, prompt context, projects and the history of sessions."""
