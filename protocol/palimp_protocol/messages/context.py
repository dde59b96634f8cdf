"""The request for the session context, and its reply."""

from msgspec import Struct


class Context(Struct, frozen=True, forbid_unknown_fields=True):
    """Ask for what a session of this project should know at its start."""


class ContextGiven(Struct, frozen=True, kw_only=True):
    """What a session is given at its start; empty when nothing is known."""

    text: str
