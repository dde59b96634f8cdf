"""Requests and replies about conversations: what is kept of sessions and of git's messages."""

from msgspec import Struct


class Conversations(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Say what is kept of conversations, or read what clients have written before palimp was there."""

    read: bool = False
    """Whether to read it, in the background; what was read is not read again."""


class ClientSessions(Struct, frozen=True, kw_only=True):
    """What a client has written on this machine."""

    client: str
    sessions: int
    size: int
    """Bytes."""
    oldest_at: int = 0
    """Unix milliseconds."""


class UnreadFile(Struct, frozen=True, kw_only=True):
    """A transcript of which something could not be read."""

    path: str
    client: str
    skipped: int
    """Lines."""
    why: str


class ConversationStatus(Struct, frozen=True, kw_only=True):
    """What is kept, and how far reading is."""

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
    """What clients have on this machine, read or not."""
    is_reading: bool = False
    read_files: int = 0
    """Of *to_read*, since it was asked for."""
    to_read: int = 0
    read_bytes: int = 0
    bytes_to_read: int = 0
    new_turns: int = 0
    unread: list[UnreadFile] = []
    problem: str = ""
    """Why their store cannot be used."""
