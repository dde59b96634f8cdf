"""Requests and replies: who asks, and the types of every operation on memories and on the daemon.

The field descriptions are what a model reads. The operations themselves are in `table`, those on documents
in `documents`.

Theory
------
* A `Call` is what a REQUEST frame carries: the operation's name, who asks (project and session), and
  the arguments, still undecoded. The project travels in every call; the daemon has no current one.
* Bytes become these types, or a refusal, in `decoding`.
"""

from enum import StrEnum
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from palimp_protocol import limits

MemoryKind = Literal[
    "note", "decision", "architecture", "finding", "fix", "correction", "preference", "question", "summary"
]
"""What a memory is about. `decision` and `architecture` come first when a session starts."""

RowKind = Literal[MemoryKind, "doc", "removed-code"]
"""What a row of an answer is: a memory of some kind, a section of a document, or code that was taken out."""

Tag = Annotated[str, Meta(min_length=1, max_length=limits.TAG_CHARACTERS_MAX)]
IdPrefix = Annotated[str, Meta(min_length=1, max_length=40)]


class Access(StrEnum):
    """What a request does to the store."""

    READ = "read"
    WRITE = "write"
    NONE = "none"
    """It does not touch the store: answered even when the store is unavailable."""


# --- who asks ------------------------------------------------------------------------------------


class ProjectRef(Struct, frozen=True):
    """The project a call belongs to, as the client resolved it."""

    root: Annotated[str, Meta(min_length=1, max_length=4096)]
    name: Annotated[str, Meta(max_length=255)]
    tree: Annotated[str, Meta(max_length=4096)] = ""
    """The worktree that the client stands in, whose documents are meant; empty: *root*."""


class SessionRef(Struct, frozen=True):
    """The session a call belongs to: *key* is unique per client process, *client* names the program."""

    key: Annotated[str, Meta(min_length=1, max_length=200)]
    client: Annotated[str, Meta(max_length=100)] = ""


class Caller(Struct, frozen=True):
    """Who asks. No *project* is the global scope."""

    project: ProjectRef | None = None
    session: SessionRef | None = None


class Call(Struct, frozen=True):
    """The body of a REQUEST frame."""

    operation: str
    arguments: msgspec.Raw = msgspec.Raw(b"{}")
    caller: Caller = Caller()
    store: str = ""
    """Which store is meant (`palimp_protocol.address`); empty: that of whoever listens."""


# --- save_memory ---------------------------------------------------------------------------------


class SaveMemory(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Save one memory."""

    text: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=limits.TEXT_CHARACTERS_MAX,
            description="What to remember, understandable on its own, with the reason.",
        ),
    ]
    title: (
        Annotated[
            str,
            Meta(
                max_length=limits.TITLE_CHARACTERS_MAX,
                description="At most 200 characters; made from the first sentence when omitted.",
            ),
        ]
        | None
    ) = None
    tags: Annotated[
        list[Tag], Meta(max_length=limits.TAGS_MAX, description="Words to filter by, such as an area or a library.")
    ] = []
    kind: Annotated[MemoryKind, Meta(description="What it is about.")] = "note"
    source: Annotated[str, Meta(min_length=1, max_length=50, description="Where it comes from.")] = "manual"


class Similar(Struct, frozen=True):
    """A stored memory that says nearly the same."""

    id: str
    title: str


class Saved(Struct, frozen=True, kw_only=True):
    """The memory is stored and durable."""

    id: str
    title: str
    similar: list[Similar] = []
    is_redacted: bool = False
    """Whether secrets were taken out of the text, or what was marked as private."""
    is_known: bool = False
    """Whether the same text was stored already: it is that memory, which was not stored a second time."""


# --- recall --------------------------------------------------------------------------------------

Detail = Literal["compact", "timeline", "full"]
Action = Literal["view", "purge", "restore"]
Scope = Literal["project", "global", "all"]


Mark = Literal["**", "", "\x02"]
"""What stands around matched words."""

When = Annotated[
    str,
    Meta(min_length=2, max_length=limits.WHEN_CHARACTERS_MAX, description="A day (2026-11-01) or how long ago (7d)."),
]


class Recall(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Search, view, purge or restore memories."""

    query: (
        Annotated[
            str,
            Meta(
                max_length=limits.QUERY_CHARACTERS_MAX,
                description="Words or a question; ranked. Omit everything for the most recent memories.",
            ),
        ]
        | None
    ) = None
    id: Annotated[IdPrefix, Meta(description="One id, or its unambiguous beginning.")] | None = None
    title: Annotated[str, Meta(max_length=limits.TITLE_CHARACTERS_MAX, description="A part of the title.")] | None = (
        None
    )
    ids: (
        Annotated[
            list[IdPrefix],
            Meta(
                max_length=limits.RECALL_ROWS_MAX,
                description="Ids to view in full, purge or restore; not together with a search.",
            ),
        ]
        | None
    ) = None
    action: Annotated[Action, Meta(description="purge hides, restore brings back; both need id or ids.")] = "view"
    detail: Annotated[
        Detail | None,
        Meta(description="compact: one row each (default of a search); timeline: with neighbours; full: whole texts."),
    ] = None
    limit: Annotated[int, Meta(ge=1, le=limits.RECALL_ROWS_MAX)] = 10
    include_purged: bool = False
    scope: Annotated[Scope, Meta(description="all: this project and the global scope.")] = "project"
    kind: Annotated[
        RowKind | None, Meta(description="Only this kind; doc: documents; removed-code: code taken out.")
    ] = None
    tags: Annotated[list[Tag], Meta(max_length=limits.TAGS_MAX, description="Only with all of these.")] = []
    explain: Annotated[bool, Meta(description="Say why each row is where it is.")] = False
    since: When | None = None
    until: Annotated[str, Meta(min_length=2, max_length=limits.WHEN_CHARACTERS_MAX)] | None = None
    offset: Annotated[int, Meta(ge=0, le=limits.LISTED_MAX, description="Of a list: rows to skip.")] = 0
    mark: Mark = "**"
    """Around the matched words of a snippet; not for agents."""


class Memory(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One memory in an answer. Times are Unix milliseconds; *score* is higher for better matches."""

    id: str
    title: str
    kind: RowKind
    created_at: int
    project: str = ""
    """The project's name; empty for the global scope."""
    score: float | None = None
    snippet: str = ""
    """About 100 characters of what the title does not say, around the matched words, which stand between `**`."""
    content: str | UnsetType = UNSET
    """The whole text, with detail=full."""
    quote: str = ""
    """What was said that a captured memory rests on, with detail=full."""
    tags: list[str] = []
    source: str = "manual"
    session: str = ""
    updated_at: int | None = None
    """When it was last changed, if ever."""
    purged_at: int | None = None
    superseded_by: str = ""
    why: str = ""
    """With explain: the terms of the score."""


class Moment(Struct, frozen=True, kw_only=True):
    """One entry of a timeline: a memory, and whether it was asked for or stands beside one that was."""

    memory: Memory
    is_hit: bool


class Recalled(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was found, viewed, purged or restored."""

    action: Action = "view"
    detail: Detail = "compact"
    query: str = ""
    """What was searched for, in words, to be echoed."""
    memories: list[Memory] = []
    timeline: list[Moment] = []
    """With detail=timeline: oldest first."""
    total: int = 0
    """How many fit, of which *memories* are the first."""
    unknown: list[str] = []
    """Ids that name nothing here, with the reason."""
    unchanged: list[str] = []
    """Ids that were already purged, or not purged, when asked to be."""
    notes: list[str] = []
    """Sentences the reader should see, such as a search cut by its deadline."""


# --- context -------------------------------------------------------------------------------------


class Context(Struct, frozen=True, forbid_unknown_fields=True):
    """Ask for what a session of this project should know at its start."""


class ContextGiven(Struct, frozen=True, kw_only=True):
    """What a session is given at its start; empty when nothing is known."""

    text: str


# --- health and stop -----------------------------------------------------------------------------


class Health(Struct, frozen=True, forbid_unknown_fields=True):
    """Ask how the daemon is."""


class KindCount(Struct, frozen=True):
    """Memories of one kind, purged ones left out."""

    kind: str
    count: int


class ProjectCount(Struct, frozen=True):
    """Memories of one project, purged ones left out; *root* is empty for the global scope."""

    root: str
    name: str
    count: int


class Rebuilt(Struct, frozen=True, kw_only=True):
    """An index that did not match its table and was built anew. *at* is Unix milliseconds.

    *index* says what is found by it, *why* how it differed; *is_running*: it is not whole yet.
    """

    at: int
    index: str
    why: str
    is_running: bool = False

    def sentence(self, when: str) -> str:
        """Return what a person is told of it; *when* says the time."""
        done = "is being built anew" if self.is_running else "was built anew"
        return f"The index of {self.index} {done} ({when}): {self.why}. No memory was touched."


class StoreHealth(Struct, frozen=True, kw_only=True):
    """The state of the database. Sizes are bytes; times are Unix milliseconds."""

    path: str
    schema: int
    engine: str
    sqlite: str
    memories: int
    purged: int
    projects: int
    kinds: list[KindCount]
    by_project: list[ProjectCount] = []
    """The projects with the most memories."""
    last_saved_at: int | None
    database_bytes: int
    wal_bytes: int
    disk_free_bytes: int
    removed_hunks: int = 0
    """Pieces of removed code that are kept."""
    removed_bytes: int = 0
    """What their lines take, compressed."""
    counters: dict[str, int] = {}
    """How often something worth counting happened, such as an edit that was denied."""
    rebuilt: list[Rebuilt] = []
    """Indexes that did not match their tables and were built anew, newest first."""
    pending_erasures: int = 0
    """Erasures whose text the file still has: it could not be written anew yet."""


class OperationLatency(Struct, frozen=True, kw_only=True):
    """How long the requests of an operation took since the daemon started, in milliseconds."""

    operation: str
    count: int
    p50_ms: float
    p99_ms: float


class ConnectedSession(Struct, frozen=True, kw_only=True):
    """An agent's session that is connected. Times are seconds."""

    pid: int
    version: str
    """Of its relay."""
    project: str
    connected_s: float
    silent_s: float
    """Since it was heard of last."""


class RunCanary(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Save, find and purge a memory as a check, and remove what `palimp doctor` left in its own *project*."""

    project: Annotated[str, Meta(max_length=4096)] = ""


class Canary(Struct, frozen=True, kw_only=True):
    """What came of saving, finding and purging a memory as a check; *at* is Unix milliseconds."""

    at: int
    took_ms: float
    problem: str = ""
    """Empty: all went well."""


class DaemonHealth(Struct, frozen=True, kw_only=True):
    """The state of the daemon. *problem*: why the store cannot be used; *is_damaged*: a repair may help."""

    version: str
    protocol: int
    pid: int
    boot: str
    uptime_s: float
    socket: str
    peers: int
    mailbox_jobs: int
    store: StoreHealth | None = None
    problem: str = ""
    hint: str = ""
    is_damaged: bool = False
    examined_at: int = 0
    """When all of the database was examined and found whole, Unix milliseconds; 0: it was not yet."""
    latencies: list[OperationLatency] = []
    sessions: list[ConnectedSession] = []
    canary: Canary | None = None
    """The last check; None: there was none yet."""
    semantic: str = ""
    """Whether memories are ranked by meaning, too, or why they are not: a few words."""
    http: str = ""
    """Where HTTP is served, or why it is not; empty: it is not wanted."""
    off: list[str] = []
    """Roots of the projects that a person switched off."""
    notes: list[str] = []
    """What else is wrong, such as settings that do not count."""


class Embedding(Struct, frozen=True, forbid_unknown_fields=True):
    """Ask how far ranking by meaning is."""


class EmbeddingStatus(Struct, frozen=True, kw_only=True):
    """How many memories have a vector. Without `palimp[semantic]`, or when it is off, *is_on* is false."""

    is_on: bool
    is_switched_off: bool = False
    """Whether a setting says so; else it is not installed."""
    embedded: int = 0
    memories: int = 0
    model: str = ""
    problem: str = ""
    hint: str = ""


class Stop(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Ask the daemon to finish what it is doing and exit."""

    for_version: Annotated[str, Meta(max_length=64)] = ""
    """The newer version whose daemon is to take over: then sessions do not stay away."""


class Stopping(Struct, frozen=True):
    """The daemon will exit."""

    pid: int
