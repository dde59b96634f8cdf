"""Messages about stored conversations and commit messages."""

from msgspec import Struct


class Conversations(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Report stored conversations, or read clients' transcripts from before palimp's time."""

    read: bool = False
    """Whether to read them, in the background; read files are not read again."""


class ClientSessions(Struct, frozen=True, kw_only=True):
    """Sessions of a client on this machine."""

    client: str
    sessions: int
    size: int
    """Bytes."""
    oldest_at: int = 0
    """Unix milliseconds."""


class UnreadFile(Struct, frozen=True, kw_only=True):
    """A transcript with lines that could not be read."""

    path: str
    client: str
    skipped: int
    """Lines."""
    why: str


class ConversationStatus(Struct, frozen=True, kw_only=True):
    """Stored conversations, and the progress of reading."""

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
    """Sessions of clients on this machine, read or not."""
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
