"""Messages of saving and recalling memories. Each session pays tokens for `Meta` descriptions."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from palimp_protocol import limits
from palimp_protocol.messages.about_messages import AboutPage, Name
from palimp_protocol.messages.similar import Similar

MemoryKind = Literal[
    "note", "decision", "architecture", "finding", "fix", "correction", "preference", "question", "summary"
]
"""Subject of a memory. `decision` and `architecture` come first at a session's start."""

RowKind = Literal[MemoryKind, "doc", "removed-code", "conversation", "commit", "claude-memory"]
"""Kind of a memory, or a document's section, removed code, a conversation's turn, a commit message, a note of Claude
Code's own memory.
"""

Relation = Literal["replaces", "narrows", "disagrees"]
"""A newer memory replaces an older one, makes an exception, or contradicts it."""

SaidBy = Literal["text", "agent", "user", "inferred", "compact"]
"""A link's author: the newer memory's text, its agent, a person, an inference from likeness, or `compact`."""

Tag = Annotated[str, Meta(min_length=1, max_length=limits.TAG_CHARACTERS_MAX)]
Tags = Annotated[list[Tag], Meta(max_length=limits.TAGS_MAX)]
IdPrefix = Annotated[str, Meta(min_length=1, max_length=40)]
Ids = Annotated[list[IdPrefix], Meta(max_length=limits.RECALL_ROWS_MAX)]
Replaced = Annotated[list[IdPrefix], Meta(max_length=limits.REPLACED_MAX)]
Title = Annotated[str, Meta(max_length=limits.TITLE_CHARACTERS_MAX)]
Query = Annotated[str, Meta(max_length=limits.QUERY_CHARACTERS_MAX)]
Path = Annotated[str, Meta(min_length=1, max_length=limits.PATH_CHARACTERS_MAX)]
SavedBy = Annotated[str, Meta(max_length=100)]
"""A client, login or machine; clients' names are no longer."""
Time = Annotated[str, Meta(min_length=2, max_length=limits.WHEN_CHARACTERS_MAX)]
When = Annotated[Time, Meta(description="A day (2026-11-01) or how long ago (7d).")]


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
    title: Annotated[Title, Meta(description="Omitted: the first sentence.")] | None = None
    tags: Annotated[Tags, Meta(description="Words to filter by, such as an area or a library.")] = []
    kind: Annotated[MemoryKind, Meta(description="What it is about.")] = "note"
    source: Annotated[str, Meta(min_length=1, max_length=50)] = "manual"
    scope: Annotated[Literal["project", "global"], Meta(description="global: the user wants it in all projects.")] = (
        "project"
    )
    replaces: Annotated[Replaced, Meta(description="Ids of memories that no longer hold.")] = []
    narrows: Annotated[Replaced, Meta(description="Ids of those it is an exception to.")] = []


class Linked(Struct, frozen=True, kw_only=True):
    """A memory replaced or narrowed by the saved one, and the link's author."""

    id: str
    title: str
    relation: Relation
    said_by: SaidBy


class Saved(Struct, frozen=True, kw_only=True):
    """The memory is durable."""

    id: str
    title: str
    similar: list[Similar] = []
    """Older ones with nearly the same text."""
    same_subject: list[Similar] = []
    """Other older ones on the subject, nearest first; with *similar* three at most."""
    unclear: list[Similar] = []
    """Those that it repeats or probably replaces; a person can decide."""
    kept: list[Similar] = []
    """Older ones that the user, when asked, kept beside it."""
    linked: list[Linked] = []
    """Memories that it now replaces or narrows."""
    is_redacted: bool = False
    """Whether secrets or private text were removed."""
    is_known: bool = False
    """Whether the text was known: that memory is returned, and nothing stored."""
    is_proposal: bool = False
    """Whether it awaits the user's yes, reaching sessions only on request (`save.review`)."""
    waits_for_all: bool = False
    """Whether it stays in its project until the user says that it is for all."""
    is_for_all: bool | None = None
    """The user's answer, when asked whether it is for all projects."""


# --- recall --------------------------------------------------------------------------------------

Detail = Literal["compact", "timeline", "full"]
Action = Literal["view", "purge", "restore"]
Scope = Literal["project", "global", "all"]
RecallScope = Literal["project", "global", "all", "mine", "team"]
"""`mine`: saved by the user on any machine of a team; `team`: by its other members."""


Mark = Literal["**", "", "\x02"]


class Recall(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Search, view, purge or restore memories."""

    query: Annotated[Query, Meta(description="Words or a question, may include a time; none: the newest.")] | None = (
        None
    )
    about: Annotated[Name, Meta(description="A path, symbol, command, ticket or term: all on it.")] | None = None
    id: Annotated[IdPrefix, Meta(description="One id, or its unambiguous beginning.")] | None = None
    title: Annotated[Title, Meta(description="A part of the title.")] | None = None
    ids: Annotated[Ids, Meta(description="To view in full, purge or restore; not with a search.")] | None = None
    action: Annotated[Action, Meta(description="purge hides, restore brings back; both need id or ids.")] = "view"
    detail: Annotated[
        Detail | None,
        Meta(description="compact: rows (default of a search); timeline: with neighbours; full: whole texts."),
    ] = None
    limit: Annotated[int, Meta(ge=1, le=limits.RECALL_ROWS_MAX)] = 10
    include_purged: bool = False
    scope: RecallScope = "all"
    """`all`: the project and memories for all projects, never another project. `mine`, `team`: of these, the user's or
    other members'.
    """
    kind: RowKind | None = None
    tags: Annotated[Tags, Meta(description="Only with all of these.")] = []
    explain: bool = False
    """Whether rows explain their rank."""
    since: When | None = None
    as_of: Annotated[Time, Meta(description="What held then.")] | None = None
    until: Annotated[Time, Meta(description="Before this.")] | None = None
    offset: Annotated[int, Meta(ge=0, le=limits.LISTED_MAX, description="Of a list: rows to skip.")] | None = None
    """Even 0 makes the answer a page: *limit* rows of the list from there, duplicates merged. None: a search for as
    many rows as requested.
    """
    mark: Mark = "**"
    """Around a snippet's matched words; not for agents."""
    client: SavedBy = ""
    """Only this client's sessions; not for agents."""
    author: SavedBy = ""
    """Only this team member: a login or an own machine, as in rows; not for agents."""


class Version(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A memory's version, or a memory linked to one."""

    id: str
    title: str
    created_at: int
    is_purged: bool = False


class HistoryLink(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A link between two memories."""

    name: str
    """Its name for `palimp undo`: `link12`."""
    newer: str
    older: str
    relation: Relation
    said_by: SaidBy
    at: int
    said: str = ""
    """The words that make the link, or the reason."""
    is_edit: bool = False


class History(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A memory's versions, oldest first, with their links."""

    versions: list[Version]
    links: list[HistoryLink]
    others: list[Version] = []
    """Memories of *links* that are no versions of it."""


class RowLink(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A link of a row's memory to another."""

    relation: Literal["replaces", "replaced by", "narrows", "narrowed by", "disagrees"]
    """Relation of the row's memory, or of one it replaced, to the other."""
    id: str
    title: str
    at: int
    """Save time of the newer one, until which the older held."""
    said_by: SaidBy


class Cited(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A memory cited in a document that no longer holds as it did."""

    id: str
    """As written in the document."""
    state: Literal["replaced", "narrowed", "disputed", "purged"]
    at: int
    """Since then, in Unix milliseconds."""
    by: str = ""
    """Id of the memory that replaces, narrows or contradicts it."""
    title: str = ""


class Memory(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A memory in an answer. Times are Unix milliseconds; higher *score*: better match."""

    id: str
    title: str
    kind: RowKind
    created_at: int
    project: str = ""
    """The project's name; empty: the global scope."""
    score: float | None = None
    covered: float | None = None
    """Part of a search's question that it answers, from 0 to 1; places documents' sections among memories."""
    line: str = ""
    """Title and beginning of the text on one line, matches marked, instead of title and snippet. Empty if a match comes
    later, or a separate title did not match.
    """
    snippet: str = ""
    """About 100 characters around matches, which stand between `**`, without the title."""
    content: str | UnsetType = UNSET
    """The whole text, with detail=full."""
    quote: str = ""
    """With detail=full, the words on which a captured memory rests."""
    tags: list[str] = []
    names: list[str] = []
    """When a person asks: paths, symbols, programs and tickets in its text."""
    source: str = "manual"
    """Its origin; of a turn, its speaker: `user` or `assistant`."""
    author: str = ""
    """Name of the team's other machine that saved it."""
    session: str = ""
    client: str = ""
    """Of a turn, and when a person asks: the session's client."""
    updated_at: int | None = None
    purged_at: int | None = None
    is_pinned: bool = False
    is_muted: bool = False
    is_proposal: bool = False
    """Whether it awaits confirmation: captured, or saved under `save.review`."""
    waits_for_all: bool = False
    """Whether it was saved for all projects and awaits the user's yes."""
    overruled: int = 0
    """Of a doubtful rule: acts refused, then resent, since a person last confirmed it."""
    superseded_by: str = ""
    history: History | None = None
    """With detail=full, if any."""
    links: list[RowLink] = []
    """Memories it replaced, newest first; then its successor, and those that narrow or contradict it."""
    cited: list[Cited] = []
    """Of a document's section: memories named there that hold no more, or not fully."""
    path: str = ""
    """File of a note of Claude Code's own memory."""
    stale: str = ""
    """Named things that are gone or have changed since, in a few words."""
    why: str = ""
    """With explain: reasons for its rank, in sentences."""
    score_parts: dict[str, float] = {}
    """With explain, for people: parts of the score."""


class Moment(Struct, frozen=True, kw_only=True):
    """An entry of a timeline: a hit, or its neighbour."""

    memory: Memory
    is_hit: bool


class Recalled(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Memories found, viewed, purged or restored."""

    action: Action = "view"
    detail: Detail = "compact"
    query: str = ""
    memories: list[Memory] = []
    timeline: list[Moment] = []
    """With detail=timeline: oldest first."""
    total: int = 0
    """Number of matches; *memories* are the first."""
    unrelated: list[Memory] = []
    """Without any match: the best candidates below the threshold."""
    is_near: bool = False
    """Whether the first of *unrelated* may still answer: `palimp search --json` counts them as memories."""
    claude_memory: list[Memory] = []
    """In a search, matching notes of Claude Code's own memory."""
    conversations: list[Memory] = []
    """Without a match: conversations' turns and commits that may answer."""
    is_certain: bool = False
    """In a search, whether a memory has most words of the query."""
    unknown: list[str] = []
    """Ids not found here, each with the reason."""
    unchanged: list[str] = []
    """Ids purged, or not, before."""
    about: AboutPage | None = None
    """Page on the requested name; then the only content."""
    notes: list[str] = []
    """Sentences for the reader, e.g. on a search cut short."""
