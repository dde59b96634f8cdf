"""Dialects: pure, total functions that translate clients' events and answers from and to Claude Code's form.

Clients change their formats without notice; each module names the version that was run.
"""
