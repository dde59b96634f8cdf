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
"""Characters of a memory that are read to rank it: a bound on what a search costs."""


class KnownMemory(NamedTuple):
    """Data that decide a found memory's rank."""

    seq: int
    text: str
    """Empty if it was not read."""
    around_from: int | None
    """The first memory around it, of a turn."""
    session: int | None
    created_at: int
    is_superseded: int
    """1 or 0, as SQLite has it."""


class Matches(NamedTuple):
    """Result of a query."""

    ranked: Sequence[Ranked | MemoryRank]
    """The best, in order."""
    total: int
    """How many match."""
    wanted: SearchStems
    """What was searched for, to be marked in snippets."""
    notes: list[str]
    """Sentences the reader should see."""
    compared: Sequence[MemoryRank] = ()
    """All memories that were held beside the query, by relevance: whether any answers does not depend on a limit."""
    asked_words: int = 0
    """How many telling words the query has."""
    is_loose: bool = False
    """Whether nothing has the phrases that were asked for, and these have some of their words."""
    lacks_name: bool = False
    """Whether nothing that was found has all words of some proper name that was asked for."""


class SemanticQuery(NamedTuple):
    """A query's vectors, and the scope of memories without its words."""

    query: QueryVectors
    projects: Sequence[int]
    """Rows of `projects`, in which memories without any of the words are looked for, too."""


class SearchRequest(NamedTuple):
    """A search."""

    text: str
    where: Filter
    limit: int
    semantic: SemanticQuery | None = None
    """That of the text, where its vectors are known."""
    postings_max: int | None = None
    """What may be read for it, where POSTINGS_MAX (`search.plan`) is too much."""
    is_spelled: bool = False
    """Whether words that are not known are tried with their neighbours."""
    projects: tuple[int, ...] = ()
    """Rows of `projects` that *where* is about, if that is known: nothing is looked for before or after theirs."""
    project: str = ""
    """The name of the project that is asked about, which its memories do not say."""
    as_turns: bool = False
    """Whether to rank as turns of conversations (`search.ranking`), not as memories (`search.memory_ranking`)."""
    span: tuple[int, int] | None = None
    """From when until before when, in Unix milliseconds, *where* lets memories be, if it asks for a time at all."""
    time: Time = NOW
    """What of the memories that answer comes first."""


class LexicalPart(NamedTuple):
    """The part of a search without the query's vector."""

    query: Query
    stems: dict[str, list[str]]
    wanted: SearchStems
    """All of these."""
    plan: Plan
    hits: list[Hit]
    """The best lexical matches."""
    total: int
    notes: list[str]
    known: "list[KnownMemory]"
    """What the order of the hits depends on."""
    vectors: dict[int, dict[int, bytes]]
    """Those of the hits by their kind, where their meaning counts."""
    newest: int
    """The number of the newest memory."""
    counts: dict[str, int]
    """In how many memories each stem stands; those in none are left out."""
    spelled: Sequence[Tried] = ()
    """What was tried for words that nobody wrote."""
    is_loose: bool = False
    """Whether nothing has the phrases that were asked for."""
    proper_names: Sequence[str] = ()
    """Those of the query (`search.proper_names`), where memories are ranked and not turns."""
    words: Sequence[Word] = ()
    """The telling words, where memories are ranked and not turns."""
    is_covered: bool = False
    """Whether a hit says so much of what is asked for that nobody need look for other words."""
    related: Related = {}
    """What may stand for the words, where no hit says as much."""
    by_related: Sequence[Hit] = ()
    """What was found by these alone."""


class PreparedSearches(StoreState):
    """Lexical parts that wait for vectors, with SQLite's count of changed rows then."""

    def __init__(self) -> None:
        self.parts: dict[SearchRequest, tuple[int, LexicalPart | None]] = {}

    def forget_searches(self) -> None:
        """Forget all parts."""
        self.parts.clear()
