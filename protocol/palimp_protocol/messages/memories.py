"""Requests and replies: who asks, and the types of every operation on memories and on the daemon.

The field descriptions are what a model reads. The operations themselves are in `table`, those on documents
in `documents`.

Theory
------
* A `Call` is what a REQUEST frame carries: the operation's name, who asks (project and session), and
  the arguments, still undecoded. The project travels in every call; the daemon has no current one.
* Bytes become these types, or a refusal, in `decoding`.
"""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from palimp_protocol import limits

MemoryKind = Literal[
    "note", "decision", "architecture", "finding", "fix", "correction", "preference", "question", "summary"
]
"""What a memory is about. `decision` and `architecture` come first when a session starts."""

RowKind = Literal[MemoryKind, "doc", "removed-code", "conversation", "commit", "claude-memory"]
"""What a row of an answer is: a memory of some kind, a section of a document, code that was taken out, a turn of a
conversation, the message of a commit, or a note of Claude Code's own memory."""

Relation = Literal["replaces", "narrows", "disagrees"]
"""What a newer memory does: it takes the place of an older one, holds in a part of its place, or contradicts it."""

SaidBy = Literal["text", "agent", "user", "inferred", "compact"]
"""Who says so: the newer memory's own text, the agent that saved it, a person, a likeness, or `compact`."""

Tag = Annotated[str, Meta(min_length=1, max_length=limits.TAG_CHARACTERS_MAX)]
IdPrefix = Annotated[str, Meta(min_length=1, max_length=40)]


# --- who asks ------------------------------------------------------------------------------------


# --- save_memory ---------------------------------------------------------------------------------


class SaveMemory(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Save one memory."""

    text: Annotated[
        str,
        Meta(
            min_length=1,
            max_length=limits.TEXT_CHARACTERS_MAX,
            description="What to remember, with the reason, understandable alone.",
        ),
    ]
    title: (
        Annotated[
            str,
            Meta(
                max_length=limits.TITLE_CHARACTERS_MAX,
                description="Omitted: the first sentence.",
            ),
        ]
        | None
    ) = None
    tags: Annotated[
        list[Tag], Meta(max_length=limits.TAGS_MAX, description="Words to filter by, such as an area or a library.")
    ] = []
    kind: Annotated[MemoryKind, Meta(description="What it is about.")] = "note"
    source: Annotated[str, Meta(min_length=1, max_length=50)] = "manual"
    replaces: Annotated[
        list[IdPrefix],
        Meta(max_length=limits.REPLACED_MAX, description="Ids of memories that no longer hold."),
    ] = []
    narrows: Annotated[
        list[IdPrefix],
        Meta(max_length=limits.REPLACED_MAX, description="Ids of those it is an exception to."),
    ] = []


class Similar(Struct, frozen=True):
    """A memory that an answer names."""

    id: str
    title: str


class Linked(Struct, frozen=True, kw_only=True):
    """A memory that the one which was saved replaces or narrows, and who says so."""

    id: str
    title: str
    relation: Relation
    said_by: SaidBy


class Saved(Struct, frozen=True, kw_only=True):
    """The memory is stored and durable."""

    id: str
    title: str
    similar: list[Similar] = []
    """Older ones that say nearly the same."""
    same_subject: list[Similar] = []
    """Other older ones that are about the same, the nearest first; with *similar* three at most."""
    unclear: list[Similar] = []
    """Of these, what it says again, and what it likelier replaces than not: a person can say whether it does."""
    kept: list[Similar] = []
    """Older ones that the user was asked about, and wants kept beside it."""
    linked: list[Linked] = []
    """What it replaces or narrows now."""
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
                description="Words or a question, may include a time; none: the newest.",
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
                description="To view in full, purge or restore; not with a search.",
            ),
        ]
        | None
    ) = None
    action: Annotated[Action, Meta(description="purge hides, restore brings back; both need id or ids.")] = "view"
    detail: Annotated[
        Detail | None,
        Meta(description="compact: rows (default of a search); timeline: with neighbours; full: whole texts."),
    ] = None
    limit: Annotated[int, Meta(ge=1, le=limits.RECALL_ROWS_MAX)] = 10
    include_purged: bool = False
    scope: Annotated[Scope, Meta(description="all: this project and the global scope.")] = "project"
    kind: RowKind | None = None
    tags: Annotated[list[Tag], Meta(max_length=limits.TAGS_MAX, description="Only with all of these.")] = []
    explain: Annotated[bool, Meta(description="Explain the ranking.")] = False
    since: When | None = None
    as_of: (
        Annotated[str, Meta(min_length=2, max_length=limits.WHEN_CHARACTERS_MAX, description="What held then.")] | None
    ) = None
    until: (
        Annotated[
            str,
            Meta(
                min_length=2,
                max_length=limits.WHEN_CHARACTERS_MAX,
                description="Before this; forms as in since.",
            ),
        ]
        | None
    ) = None
    offset: Annotated[int, Meta(ge=0, le=limits.LISTED_MAX, description="Of a list: rows to skip.")] | None = None
    """With any, also with 0, the answer is a page: *limit* rows of the list from there on, of which those that say the
    same stand once. Without, as many rows as are asked for are looked for."""
    mark: Mark = "**"
    """Around the matched words of a snippet; not for agents."""


class Version(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A memory in the history of another."""

    id: str
    title: str
    created_at: int
    is_purged: bool = False


class HistoryLink(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What one memory does to another, both by their ids, and who says so."""

    name: str
    """What `palimp undo` knows it by."""
    newer: str
    older: str
    relation: Relation
    said_by: SaidBy
    at: int
    said: str = ""
    """The words that say so, or the reason."""
    is_edit: bool = False


class History(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The versions of a memory, the oldest first, and what links them and others with them."""

    versions: list[Version]
    links: list[HistoryLink]
    others: list[Version] = []
    """Memories of *links* that are no versions of it: they narrow it, say, or disagree with it."""


class RowLink(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a row of an answer tells of another memory."""

    relation: Literal["replaces", "replaced by", "narrows", "narrowed by", "disagrees"]
    """What the row's memory, or one that it replaced, does to the other."""
    id: str
    title: str
    at: int
    """When the newer one of the two was saved: until then the older one held."""
    said_by: SaidBy


class Cited(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A memory that a document names by its id, and that does not hold as it did."""

    id: str
    """As the document has it."""
    state: Literal["replaced", "narrowed", "disputed", "purged"]
    at: int
    """Since when, in Unix milliseconds."""
    by: str = ""
    """The id of what holds in its place now, narrows it or disagrees with it."""
    title: str = ""
    """The title of that one."""


class Memory(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One memory in an answer. Times are Unix milliseconds; *score* is higher for better matches."""

    id: str
    title: str
    kind: RowKind
    created_at: int
    project: str = ""
    """The project's name; empty for the global scope."""
    score: float | None = None
    covered: float = 0.0
    """Of a search, the part of what was asked for that it says in the very words, from 0 to 1."""
    line: str = ""
    """Title and text from the beginning on, on one line, with what matched marked: what a row shows in place of title
    and snippet. Empty where something matched further on, or the title is one of its own and did not match."""
    snippet: str = ""
    """About 100 characters of what the title does not say, around the matched words, which stand between `**`."""
    content: str | UnsetType = UNSET
    """The whole text, with detail=full."""
    quote: str = ""
    """What was said that a captured memory rests on, with detail=full."""
    tags: list[str] = []
    source: str = "manual"
    """Where it is from; of a turn, who said it: `user` or `assistant`."""
    session: str = ""
    client: str = ""
    """Of a turn, the client that the session ran in."""
    updated_at: int | None = None
    """When it was last changed, if ever."""
    purged_at: int | None = None
    is_pinned: bool = False
    is_muted: bool = False
    is_proposal: bool = False
    """Whether capture found it and nobody confirmed it yet."""
    superseded_by: str = ""
    history: History | None = None
    """With detail=full: what replaced what, where something did."""
    links: list[RowLink] = []
    """What it replaced, the newest first, what replaced it, and what narrows it or disagrees."""
    cited: list[Cited] = []
    """Of a section of a document: memories that it names, and that do not hold as they did."""
    path: str = ""
    """Of a note of Claude Code's own memory, its file."""
    stale: str = ""
    """What it names that is gone or was changed since it was saved, in a few words."""
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
    unrelated: list[Memory] = []
    """Where none fits: the best of those that answer too little."""
    is_near: bool = False
    """Whether the first of *unrelated* is so near that it may answer all the same."""
    claude_memory: list[Memory] = []
    """Of a search, notes of Claude Code's own memory that answer, too; they stand below the memories."""
    conversations: list[Memory] = []
    """Where no memory answers: turns of conversations and commits that may."""
    is_certain: bool = False
    """Of a search, whether a memory says most of what was asked for, in its words."""
    unknown: list[str] = []
    """Ids that name nothing here, with the reason."""
    unchanged: list[str] = []
    """Ids that were already purged, or not purged, when asked to be."""
    notes: list[str] = []
    """Sentences the reader should see, such as a search cut by its deadline."""


# --- context -------------------------------------------------------------------------------------


# --- health and stop -----------------------------------------------------------------------------
