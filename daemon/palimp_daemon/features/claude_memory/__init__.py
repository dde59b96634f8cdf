"""Claude Code's own memory of a project: its notes, in files that are only read, found by recall below memories."""
