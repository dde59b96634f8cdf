"""Other clients' own memories of a project: notes in files that are only read, shown by recall below memories."""
