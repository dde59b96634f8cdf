"""Replies as text for models, within token budgets; cuts are always mentioned."""
