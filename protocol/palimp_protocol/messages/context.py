"""The request for the session context, and its reply."""

from msgspec import Struct


class Context(Struct, frozen=True, forbid_unknown_fields=True):
    """Ask for the context of a session of this project at its start."""


class ContextGiven(Struct, frozen=True, kw_only=True):
    """The session context; empty if there is none."""

    text: str
    is_off: bool = False
    """A person switched palimp off in this project: sessions get nothing, and *text* is only a preview."""
