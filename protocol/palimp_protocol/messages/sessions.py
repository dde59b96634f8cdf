"""Requests and replies about sessions: what is captured from them, and what they did."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from palimp_protocol import limits
from palimp_protocol.messages.memories import MemoryKind


class Capture(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Extract what is worth remembering from a conversation."""

    text: (
        Annotated[
            str,
            Meta(
                min_length=1,
                max_length=limits.CAPTURE_CHARACTERS_MAX,
                description="The conversation, lines beginning with `User:` and `Assistant:`. Omitted: this session's"
                " transcript, where palimp's hooks are installed.",
            ),
        ]
        | None
    ) = None


class CaptureFile(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Extract what is worth remembering from a file: a client's transcript, or a conversation as text."""

    path: Annotated[str, Meta(min_length=1, max_length=limits.PATH_CHARACTERS_MAX, description="Absolute.")] | None = (
        None
    )
    """None: the transcript of the caller's session."""
    waits: bool = False
    """Whether to answer with what was captured, however long that takes."""


class CapturedMemory(Struct, frozen=True, kw_only=True):
    """A memory that was made."""

    id: str
    kind: MemoryKind
    title: str
    is_proposal: bool = False
    """Whether it waits to be confirmed."""


class Captured(Struct, frozen=True, kw_only=True):
    """What was captured; *known* counts what had been saved or captured before."""

    memories: list[CapturedMemory]
    messages: int
    """Messages that were looked at."""
    known: int = 0
    notes: list[str] = []
    is_started: bool = False
    """It is long, and looked through in the background: `sessions` says what came of it."""


class CaptureRun(Struct, frozen=True, kw_only=True):
    """A capture that somebody asked for and did not wait for, and what came of it."""

    at: int
    """When it was asked for, in Unix milliseconds."""
    file: str = ""
    """The name of the file; empty: a text, or the session's own transcript."""
    messages: int = 0
    memories: int = 0
    """How many were made."""
    known: int = 0
    """How many had been saved or captured before."""
    is_over: bool = False
    why: str = ""
    """Why it failed, a sentence; empty: it did not."""


class Sessions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List the project's sessions, or show what one of them did."""

    session: Annotated[str, Meta(max_length=200, description="Key of a session, or how it begins.")] | None = None
    limit: Annotated[int, Meta(ge=1, le=limits.SESSIONS_LISTED_MAX)] = 20


class StatusLine(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Say in numbers what the caller's project knows, and what the caller's session was given."""


class StatusCounts(Struct, frozen=True, kw_only=True):
    """What a status line shows."""

    memories: int = 0
    """Of the project that hold and do not wait to be confirmed."""
    given: int = 0
    """Memories that the session was given without asking for them."""
    waiting: int = 0
    """Proposals that wait to be confirmed."""
    is_off: bool = False
    """A person switched palimp off in this project; then nothing was counted."""


class SessionSummary(Struct, frozen=True, kw_only=True):
    """A session. Times are Unix milliseconds."""

    key: str
    client: str
    project: str
    started_at: int
    seen_at: int
    ended_at: int | None = None
    """None: it runs, or its client did not say."""
    turns: int = 0
    saves: int = 0
    recalls: int = 0
    removed: int = 0
    """Pieces of code that it took out."""
    about: str = ""
    """The title of its summary, else of what it saved last."""


class SessionEvent(Struct, frozen=True, kw_only=True):
    """Something that a session did: *what* is the kind of a memory that it saved, or `removed-code`."""

    at: int
    what: str
    id: str
    title: str


Occasion = Literal["start", "prompt", "action"]
"""When a session was given something without asking: at its start, with a prompt, or before it acted."""


class Given(Struct, frozen=True, kw_only=True):
    """Something that a session was given without asking for it."""

    at: int
    """In Unix milliseconds."""
    occasion: Occasion
    id: str
    """Of the memory; empty: it is a command that had failed in an earlier session."""
    title: str
    why: str
    """In a few words: `pinned`, `branch`, `bears on the prompt`, ``names `cart/ttl.py` ``."""


class SessionList(Struct, frozen=True, kw_only=True):
    """Sessions, newest first; with one asked for, it, what it did and what it was given, oldest first."""

    sessions: list[SessionSummary]
    total: int
    events: list[SessionEvent] = []
    given: list[Given] = []
    """What the one that was asked for was given, oldest first; as long as 90 days after it was heard of."""
    captures: list[CaptureRun] = []
    """Captures that were asked for in this project and ran in the background, the last ones."""
    notes: list[str] = []
