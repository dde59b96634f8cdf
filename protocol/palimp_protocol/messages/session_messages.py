"""Messages about sessions: capture, and history."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from palimp_protocol import limits
from palimp_protocol.messages.memory_messages import MemoryKind, Path


class Capture(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Extract memories from a conversation."""

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
    """Extract memories from a client's transcript, or a conversation as text."""

    path: Annotated[Path, Meta(description="Absolute.")] | None = None
    """None: the transcript of the caller's session."""
    waits: bool = False
    """Whether to wait for the result."""


class CapturedMemory(Struct, frozen=True, kw_only=True):
    """A captured memory."""

    id: str
    kind: MemoryKind
    title: str
    is_proposal: bool = False


class Captured(Struct, frozen=True, kw_only=True):
    """Captured memories; *known* counts those saved or captured before."""

    memories: list[CapturedMemory]
    messages: int
    known: int = 0
    notes: list[str] = []
    is_started: bool = False
    """It is long, and runs in the background; `sessions` has the result."""


class CaptureRun(Struct, frozen=True, kw_only=True):
    """A capture in the background, and its result."""

    at: int
    """Unix milliseconds of the request."""
    file: str = ""
    """The file's name; empty: a text, or the session's own transcript."""
    messages: int = 0
    memories: int = 0
    known: int = 0
    """Memories saved or captured before."""
    is_over: bool = False
    why: str = ""


class Sessions(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List sessions, one's history, or those that got a memory."""

    session: Annotated[str, Meta(max_length=200, description="Key of a session, or how it begins.")] | None = None
    given: Annotated[str, Meta(max_length=200)] | None = None
    """Id or prefix of a memory: list its deliveries, in all sessions."""
    limit: Annotated[int, Meta(ge=1, le=limits.SESSIONS_LISTED_MAX)] = 20


class Handoff(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Tell where a session stood, for another to go on."""

    session: Annotated[str, Meta(max_length=200)] | None = None
    """Its key or a prefix; None: the last active one except the caller's."""


class HandedOff(Struct, frozen=True, kw_only=True):
    """The point that a session had reached."""

    session: str
    client: str
    text: str
    """At most HANDOFF_TOKENS_MAX tokens."""


class StatusLine(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Count the project's memories, and the session's given ones."""


class StatusCounts(Struct, frozen=True, kw_only=True):
    """Numbers of a status line."""

    memories: int = 0
    """Of the project, in force and confirmed."""
    given: int = 0
    """Memories given to the session unasked."""
    waiting: int = 0
    is_off: bool = False
    """A person switched palimp off in this project: nothing was counted."""


class SessionSummary(Struct, frozen=True, kw_only=True):
    """A session. Times are Unix milliseconds."""

    key: str
    client: str
    project: str
    started_at: int
    seen_at: int
    ended_at: int | None = None
    """None: it runs, or its client did not report the end."""
    turns: int = 0
    saves: int = 0
    recalls: int = 0
    removed: int = 0
    about: str = ""
    """Title of its summary, else of its last memory."""


class SessionEvent(Struct, frozen=True, kw_only=True):
    """A session's act: *what* is the saved memory's kind, or `removed-code`."""

    at: int
    what: str
    id: str
    title: str


Occasion = Literal["start", "prompt", "action"]
"""Times at which a session gets text unasked: its start, a prompt, before an act."""

Outcome = Literal["", "nothing", "written", "opened"]
"""Use by a session: not looked at yet, none, wrote its words, opened it by id."""


class Given(Struct, frozen=True, kw_only=True):
    """A text that a session was given unasked."""

    at: int
    """Unix milliseconds."""
    occasion: Occasion
    id: str
    """A memory's; empty: a command that failed in an earlier session."""
    title: str
    why: str
    """In a few words: `pinned`, `branch`, `bears on the prompt`, ``names `cart/ttl.py` ``."""
    session: str = ""
    """The session's key, in a list of one memory's deliveries."""
    client: str = ""
    """That session's client."""
    outcome: Outcome = ""


class Breach(Struct, frozen=True, kw_only=True):
    """A rule that a session broke."""

    at: int
    """The last time, in Unix milliseconds."""
    id: str
    title: str
    times: int
    times_told: int
    """Of them, those after the rule was told."""
    act: str


class SessionList(Struct, frozen=True, kw_only=True):
    """Sessions, newest first; or one session with its history, oldest first."""

    sessions: list[SessionSummary]
    total: int
    events: list[SessionEvent] = []
    given: list[Given] = []
    """Items given to the session, oldest first, for 90 days after its last activity; or one memory's deliveries, newest
    first.
    """
    broken: list[Breach] = []
    """Rules that it broke, the last first."""
    captures: list[CaptureRun] = []
    """The project's last requested captures in the background."""
    notes: list[str] = []
