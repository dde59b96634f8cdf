"""Dialects of hooks: each client's events and answers, translated from and to Claude Code's form.

A *dialect* is two pure functions, which run in the hook's process, or in the daemon for a client that reaches it
without one. They are total: any input gives an event or None, and nothing raises. Clients change their formats
without notice; each module says which version was run.
"""
