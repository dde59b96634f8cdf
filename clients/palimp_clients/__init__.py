"""Coding agents as palimp meets them: a folder for each; `hooks`, `transcripts` and `install` are shared."""
