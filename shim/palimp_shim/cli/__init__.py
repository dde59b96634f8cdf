"""The command line, `palimp`: one file per command."""
