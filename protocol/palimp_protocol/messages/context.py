"""The request for the session context, and its reply."""

from msgspec import Struct


class Context(Struct, frozen=True, forbid_unknown_fields=True):
    """Ask for what a session of this project should know at its start."""


class ContextGiven(Struct, frozen=True, kw_only=True):
    """What a session is given at its start; empty when nothing is known."""

    text: str
    is_off: bool = False
    """A person switched palimp off in this project: sessions are given nothing, and *text* is what they would be."""
