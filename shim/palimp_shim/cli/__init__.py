"""`palimp`: one file per command."""
