"""Save, recall, merge and delete memories."""
