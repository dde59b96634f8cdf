"""How each client tells what happens in its sessions, and how it takes an answer: the dialects of hooks.

Theory
------
All clients have the same few events, with other names and fields: a session starts, a prompt is sent, a tool is about
to be used. A *dialect* turns what a client says into the one form that the daemon knows, which is Claude Code's, and
the daemon's reply into what the client takes. Both are plain functions of values, used by the hook's process, and by
the daemon where a client reaches it without one. They are total: whatever a client says, they say nothing or something,
and raise nothing.
"""
