"""Messages about stored conversations and commit messages."""

from typing import Annotated

from msgspec import Meta, Struct

from palimp_protocol import limits


class Conversations(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Report stored conversations, or read clients' earlier transcripts."""

    read: bool = False
    """Whether to read the new ones, in the background."""


class ClientSessions(Struct, frozen=True, kw_only=True):
    """A client's sessions on this machine."""

    client: str
    sessions: int
    size: int
    """Bytes."""
    oldest_at: int = 0
    """Unix milliseconds."""


class UnreadFile(Struct, frozen=True, kw_only=True):
    """A transcript with unreadable lines."""

    path: str
    client: str
    skipped: int
    """Lines."""
    why: str


class ConversationStatus(Struct, frozen=True, kw_only=True):
    """Stored conversations, and reading's progress."""

    is_on: bool
    turns: int = 0
    commits: int = 0
    sessions: int = 0
    files: int = 0
    size: int = 0
    """Bytes of their database."""
    keep_days: int = 0
    max_mb: int = 0
    found: list[ClientSessions] = []
    is_reading: bool = False
    read_files: int = 0
    """Of *to_read*, since the request to read."""
    to_read: int = 0
    read_bytes: int = 0
    bytes_to_read: int = 0
    new_turns: int = 0
    unread: list[UnreadFile] = []
    problem: str = ""
    """Why their store cannot be used."""


class SessionTurns(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Show a slice of a session's turns."""

    session: Annotated[str, Meta(min_length=1, max_length=200)] | None = None
    """Its key or a prefix; None: that of the turn *at*, else the newest with turns."""
    first: Annotated[int, Meta(ge=1, le=limits.LISTED_MAX)] = 1
    """Number of the slice's first turn."""
    at: Annotated[str, Meta(max_length=40)] = ""
    """Id of a turn: the slice around it, instead of *first*."""
    limit: Annotated[int, Meta(ge=1, le=limits.TURNS_LISTED_MAX)] = limits.TURNS_LISTED_MAX


class SaidTurn(Struct, frozen=True, kw_only=True):
    """A turn of a session."""

    id: str
    role: str
    """`user`, `assistant` or another speaker's."""
    at: int
    """Unix milliseconds."""
    text: str


class TurnList(Struct, frozen=True, kw_only=True):
    """A slice of a session, in order, and its number of turns."""

    session: str
    client: str
    turns: list[SaidTurn]
    first: int
    total: int
