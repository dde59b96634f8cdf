"""Coding agents, a folder each; `hooks`, `transcripts` and `install` are shared."""
