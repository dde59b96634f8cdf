"""Claude Code's own memory of a project: notes in files that are only read, shown by recall below memories."""
