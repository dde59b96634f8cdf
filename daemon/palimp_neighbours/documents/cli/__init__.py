"""The command of documents."""
