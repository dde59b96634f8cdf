"""Dialects: each client's events and answers, translated from and to Claude Code's form by two pure, total functions.

Clients change their formats without notice; each module says which version was run.
"""
