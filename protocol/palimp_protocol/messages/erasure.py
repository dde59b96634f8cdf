"""Messages of erasing."""

from typing import Annotated

from msgspec import Meta, Struct


class Erase(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Erase memories, or removed code (`h12`), for good."""

    ids: Annotated[list[Annotated[str, Meta(min_length=1, max_length=64)]], Meta(max_length=50)] = []
    """Also of turns and commits."""
    session: Annotated[str, Meta(max_length=200)] = ""
    """All turns of the session with this key, wherever it worked, and its failed commands."""
    containing: Annotated[str, Meta(max_length=1_000)] = ""
    """All turns and commits of the project with exactly this text."""
    all_turns: bool = False
    """All turns and commits of the project."""


class Erased(Struct, frozen=True, kw_only=True):
    """Removed things, and unknown ids."""

    memories: list[tuple[str, str]]
    """(id, title), of removed code its file and line. A repeated request is answered without titles."""
    turns: int = 0
    """Turns and commits that were selected by session, text or project."""
    unknown: list[str] = []
    notes: list[str] = []
    is_pending: bool = False
    """Whether the file could not be written anew yet, so that it still has the text."""
