"""Request and reply of the session context."""

from msgspec import Struct


class Context(Struct, frozen=True, forbid_unknown_fields=True):
    """Ask for the context of a starting session."""


class ContextGiven(Struct, frozen=True, kw_only=True):
    """The session context, or empty."""

    text: str
    is_off: bool = False
    """A person switched palimp off here: sessions get nothing, and *text* is a preview."""
