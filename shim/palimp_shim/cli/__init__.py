"""The command line: `palimp`. One file per command."""
