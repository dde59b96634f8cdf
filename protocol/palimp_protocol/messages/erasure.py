"""Messages of erasing."""

from typing import Annotated

from msgspec import Meta, Struct


class Erase(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Erase memories, or removed code (`h12`), for good."""

    ids: Annotated[list[Annotated[str, Meta(min_length=1, max_length=64)]], Meta(max_length=50)] = []
    """Also of turns and commits."""
    session: Annotated[str, Meta(max_length=200)] = ""
    """Turns and failed commands of the session with this key, in any project."""
    containing: Annotated[str, Meta(max_length=1_000)] = ""
    """The project's turns and commits with exactly this text."""
    all_turns: bool = False
    """All turns and commits of the project."""


class Erased(Struct, frozen=True, kw_only=True):
    """Removed things, and unknown ids."""

    memories: list[tuple[str, str]]
    """(id, title), of removed code its file and line; no titles for a repeated request."""
    turns: int = 0
    """Turns and commits selected by session, text or project."""
    unknown: list[str] = []
    notes: list[str] = []
    is_pending: bool = False
    """Whether the file still has the text, until it can be rewritten."""
