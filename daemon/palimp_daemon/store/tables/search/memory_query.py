"""Types of a memory search: request, lexical part, result."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_daemon.search.engine import Filter, Hit
from palimp_daemon.search.match_positions import SearchStems
from palimp_daemon.search.memory_ranking import NOW, MemoryRank, Time, Word
from palimp_daemon.search.plan import Plan
from palimp_daemon.search.ranking import Ranked
from palimp_daemon.search.terms import Query
from palimp_daemon.store.store import StoreState
from palimp_daemon.store.tables.vector_rows import QueryVectors
from palimp_daemon.store.tables.words.related_terms import Related
from palimp_daemon.store.tables.words.unknown_words import Tried

READ_CHARACTERS: Final = 2_000
"""Characters of a memory read to rank it, to bound a search's cost."""


class KnownMemory(NamedTuple):
    """Data that decide a found memory's rank."""

    seq: int
    text: str
    """Empty if it was not read."""
    around_from: int | None
    """The first memory around it, if it is a turn."""
    session: int | None
    created_at: int
    is_superseded: int
    """SQLite's 1 or 0."""


class Matches(NamedTuple):
    """Result of a query."""

    ranked: Sequence[Ranked | MemoryRank]
    total: int
    wanted: SearchStems
    """The stems searched for, to be highlighted in snippets."""
    notes: list[str]
    """Sentences for the reader."""
    compared: Sequence[MemoryRank] = ()
    """All memories compared with the query, by relevance: whether any answers must not depend on a limit."""
    asked_words: int = 0
    """Number of the query's significant words."""
    is_loose: bool = False
    """Whether nothing has the query's phrases; these have some of their words."""
    lacks_name: bool = False
    """Whether some proper name of the query is complete in no result."""


class SemanticQuery(NamedTuple):
    """A query's vectors, and the scope of memories without its words."""

    query: QueryVectors
    projects: Sequence[int]
    """Rows of `projects` also searched for memories without the words."""


class SearchRequest(NamedTuple):
    """A search."""

    text: str
    where: Filter
    limit: int
    semantic: SemanticQuery | None = None
    """The text's meaning, if its vectors are known."""
    postings_max: int | None = None
    """Postings to read, if POSTINGS_MAX (`search.plan`) is too many."""
    is_spelled: bool = False
    """Whether unknown words are tried with their neighbours."""
    projects: tuple[int, ...] = ()
    """Rows of `projects` of *where*, if known; only their memories' range is searched."""
    project: str = ""
    """The name of the project asked about, which its memories omit."""
    as_turns: bool = False
    """Whether to rank as turns of conversations (`search.ranking`), not as memories (`search.memory_ranking`)."""
    span: tuple[int, int] | None = None
    """Begin and end (exclusive) of *where*, in Unix milliseconds; None: any time."""
    time: Time = NOW
    """Which times of memories come first."""


class LexicalPart(NamedTuple):
    """The part of a search without the query's vector."""

    query: Query
    stems: dict[str, list[str]]
    wanted: SearchStems
    """All of these."""
    plan: Plan
    hits: list[Hit]
    total: int
    notes: list[str]
    known: "list[KnownMemory]"
    """Data that orders the hits."""
    vectors: dict[int, dict[int, bytes]]
    """The hits' vectors by kind, if meaning counts."""
    newest: int
    counts: dict[str, int]
    """Number of memories with each stem; absent stems are left out."""
    spelled: Sequence[Tried] = ()
    """Replacements tried for unknown words."""
    is_loose: bool = False
    """Whether nothing has the query's phrases."""
    proper_names: Sequence[str] = ()
    """The query's proper names (`search.proper_names`); none for turns."""
    words: Sequence[Word] = ()
    """The significant words; none for turns."""
    is_covered: bool = False
    """Whether a hit has enough of the query to try no other words."""
    related: Related = {}
    """Words related to the query's, if no hit has enough."""
    by_related: Sequence[Hit] = ()
    """Hits of the related words alone."""


class PreparedSearches(StoreState):
    """Lexical parts that wait for vectors, with SQLite's count of changed rows then."""

    def __init__(self) -> None:
        self.parts: dict[SearchRequest, tuple[int, LexicalPart | None]] = {}

    def forget_searches(self) -> None:
        """Forget all parts."""
        self.parts.clear()
