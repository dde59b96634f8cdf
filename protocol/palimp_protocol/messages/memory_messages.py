"""Messages of saving and recalling memories. Each session pays tokens for `Meta` descriptions."""

from typing import Annotated, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from palimp_protocol import limits
from palimp_protocol.messages.about_messages import AboutPage, Name
from palimp_protocol.messages.similar import Similar

MemoryKind = Literal[
    "note", "decision", "architecture", "finding", "fix", "correction", "preference", "question", "summary"
]
"""The subject of a memory. `decision` and `architecture` come first when a session starts."""

RowKind = Literal[MemoryKind, "doc", "removed-code", "conversation", "commit", "claude-memory"]
"""The kind of a row: of a memory, or a section of a document, removed code, a turn of a conversation, a commit message,
or a note of Claude Code's own memory."""

Relation = Literal["replaces", "narrows", "disagrees"]
"""A newer memory takes the place of an older one, is an exception to it, or contradicts it."""

SaidBy = Literal["text", "agent", "user", "inferred", "compact"]
"""Author of a link: the newer memory's text, the agent that saved it, a person, an inference from likeness, or
`compact`."""

Tag = Annotated[str, Meta(min_length=1, max_length=limits.TAG_CHARACTERS_MAX)]
Tags = Annotated[list[Tag], Meta(max_length=limits.TAGS_MAX)]
IdPrefix = Annotated[str, Meta(min_length=1, max_length=40)]
Ids = Annotated[list[IdPrefix], Meta(max_length=limits.RECALL_ROWS_MAX)]
Replaced = Annotated[list[IdPrefix], Meta(max_length=limits.REPLACED_MAX)]
Title = Annotated[str, Meta(max_length=limits.TITLE_CHARACTERS_MAX)]
Query = Annotated[str, Meta(max_length=limits.QUERY_CHARACTERS_MAX)]
Path = Annotated[str, Meta(min_length=1, max_length=limits.PATH_CHARACTERS_MAX)]
SavedBy = Annotated[str, Meta(max_length=100)]
"""A client, a login or a machine; names of clients are no longer."""
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
    """Other older ones about the same, the nearest first; with *similar* three at most."""
    unclear: list[Similar] = []
    """Those of them that it repeats, or probably replaces: a person can say whether it does."""
    kept: list[Similar] = []
    """Older ones that the user, when asked, kept beside it."""
    linked: list[Linked] = []
    """Memories that it replaces or narrows now."""
    is_redacted: bool = False
    """Whether secrets, or text marked as private, were removed."""
    is_known: bool = False
    """Whether a memory had this text already: it is that one, and nothing was stored."""
    is_proposal: bool = False
    """Whether it waits for the user's yes, and is told to no session unasked until then (`save.review`)."""
    waits_for_all: bool = False
    """Whether it stands in its project alone until the user says that it is for all."""
    is_for_all: bool | None = None
    """The answer of the user, when asked whether it is for all projects."""


# --- recall --------------------------------------------------------------------------------------

Detail = Literal["compact", "timeline", "full"]
Action = Literal["view", "purge", "restore"]
Scope = Literal["project", "global", "all"]
RecallScope = Literal["project", "global", "all", "mine", "team"]
"""With what was saved by the user, on any machine of a team, or by its other members."""


Mark = Literal["**", "", "\x02"]
"""Delimiter around matched words."""


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
    """`all`: the project and what was saved for all projects; never another project. `mine`, `team`: of these, what
    the user saved, or what other members of a team did."""
    kind: RowKind | None = None
    tags: Annotated[Tags, Meta(description="Only with all of these.")] = []
    explain: bool = False
    """Whether rows say why they stand where they stand."""
    since: When | None = None
    as_of: Annotated[Time, Meta(description="What held then.")] | None = None
    until: Annotated[Time, Meta(description="Before this.")] | None = None
    offset: Annotated[int, Meta(ge=0, le=limits.LISTED_MAX, description="Of a list: rows to skip.")] | None = None
    """With any, also with 0, the answer is a page: *limit* rows of the list from there on, of which those that say the
    same stand once. Without, as many rows as are asked for are looked for."""
    mark: Mark = "**"
    """Around the matched words of a snippet; not for agents."""
    client: SavedBy = ""
    """Only of sessions of this client; not for agents."""
    author: SavedBy = ""
    """Only by this member of the team, a login or a machine of one's own as rows show it; not for agents."""


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
    """Time when the newer of the two was saved: until then the older one held."""
    said_by: SaidBy


class Cited(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A memory cited in a document that no longer holds as it did."""

    id: str
    """As written in the document."""
    state: Literal["replaced", "narrowed", "disputed", "purged"]
    at: int
    """Since then, in Unix milliseconds."""
    by: str = ""
    """The id of the memory that replaced it, narrows it or disagrees with it."""
    title: str = ""
    """The title of *by*."""


class Memory(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A memory in an answer. Times are Unix milliseconds; higher *score*: better match."""

    id: str
    title: str
    kind: RowKind
    created_at: int
    project: str = ""
    """The project's name; empty for the global scope."""
    score: float | None = None
    covered: float | None = None
    """Of a search, the part of what was asked that it answers, from 0 to 1: where sections of documents stand."""
    line: str = ""
    """Title and text from the beginning on one line, with matches marked, in place of title and snippet. Empty if a
    match is further on, or the title is one of its own and did not match."""
    snippet: str = ""
    """About 100 characters around the matched words, without the title; matches stand between `**`."""
    content: str | UnsetType = UNSET
    """The whole text, with detail=full."""
    quote: str = ""
    """Of a captured memory, with detail=full, the words it rests on."""
    tags: list[str] = []
    names: list[str] = []
    """Wherever a person asks, paths, symbols, programs and tickets that its text names."""
    source: str = "manual"
    """Its origin; of a turn, its speaker: `user` or `assistant`."""
    author: str = ""
    """Of a memory that another machine of the team saved, what that one is called."""
    session: str = ""
    client: str = ""
    """Of a turn, and wherever a person asks, the client of the session."""
    updated_at: int | None = None
    """Time of the last change, if any."""
    purged_at: int | None = None
    is_pinned: bool = False
    is_muted: bool = False
    is_proposal: bool = False
    """Whether capture found it, or it was saved while saves wait (`save.review`), and nobody confirmed it yet."""
    waits_for_all: bool = False
    """Whether it was saved for all projects, and the user did not say yes yet."""
    overruled: int = 0
    """Of a rule in doubt, acts that were refused and sent again since a person last said that it holds."""
    superseded_by: str = ""
    history: History | None = None
    """With detail=full, if there is any."""
    links: list[RowLink] = []
    """Memories it replaced, the newest first; then the one that replaced it, and those that narrow or contradict it."""
    cited: list[Cited] = []
    """Of a section of a document: memories it names that do not hold as they did."""
    path: str = ""
    """Of a note of Claude Code's own memory, its file."""
    stale: str = ""
    """Things it names that are gone or have changed since, in a few words."""
    why: str = ""
    """With explain: why it stands where it stands, in sentences."""
    score_parts: dict[str, float] = {}
    """With explain, for people: what each part adds to the score."""


class Moment(Struct, frozen=True, kw_only=True):
    """An entry of a timeline: a hit, or its neighbour."""

    memory: Memory
    is_hit: bool


class Recalled(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Memories found, viewed, purged or restored."""

    action: Action = "view"
    detail: Detail = "compact"
    query: str = ""
    """The query, for the reply."""
    memories: list[Memory] = []
    timeline: list[Moment] = []
    """With detail=timeline: oldest first."""
    total: int = 0
    """Number of matches; *memories* are the first."""
    unrelated: list[Memory] = []
    """Without any match: the best candidates below the threshold."""
    is_near: bool = False
    """Whether the first of *unrelated* may answer all the same: `palimp search --json` has them as memories."""
    claude_memory: list[Memory] = []
    """Of a search, matching notes of Claude Code's own memory; they stand below the memories."""
    conversations: list[Memory] = []
    """Without a match: turns of conversations and commits that may answer."""
    is_certain: bool = False
    """Of a search, whether a memory has most words of the query."""
    unknown: list[str] = []
    """Ids without a memory here, with the reason."""
    unchanged: list[str] = []
    """Ids that were purged, or not purged, already."""
    about: AboutPage | None = None
    """The page on the name that was asked about; nothing else is there then."""
    notes: list[str] = []
    """Sentences for the reader, such as a search cut by its deadline."""
