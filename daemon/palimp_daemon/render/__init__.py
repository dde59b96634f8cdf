"""Replies as text for models, within token budgets; a cut is always said."""
