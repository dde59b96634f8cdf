"""Coding agents as palimp meets them: a folder for each of them; `hooks`, `transcripts` and `install` are shared."""
