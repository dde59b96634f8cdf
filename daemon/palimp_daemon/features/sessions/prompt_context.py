"""Find the memories that a prompt needs, by words and meaning (`search.prompt_need`)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Final, NamedTuple

from palimp_daemon.features.sessions.cjk_overlap import sharing_two
from palimp_daemon.judgement.replacing import Statement
from palimp_daemon.judgement.siblings import of_one_subject
from palimp_daemon.languages.language import sections
from palimp_daemon.languages.language_of import ENGLISH, language_of
from palimp_daemon.search.cjk import Piece, pieces_of
from palimp_daemon.search.engine import Filter
from palimp_daemon.search.prompt_need import (
    COMPARED,
    EVERYDAY_PART,
    GIVEN_MAX,
    LEXICAL_WEIGHTS,
    SEMANTIC_WEIGHTS,
    Bearing,
    Prompt,
    PromptCandidate,
    Weights,
    bearing,
    bound_of,
    needed_bearings,
    not_replaced,
)
from palimp_daemon.search.rarity import rarity
from palimp_daemon.search.stems import Stems
from palimp_daemon.search.telling_words import telling_words_of_language
from palimp_daemon.search.terms import parse_query
from palimp_daemon.store.store import GLOBAL_PROJECT, Store, newest_memory, project_row, session_row
from palimp_daemon.store.tables import memory_rows, vector_rows
from palimp_daemon.store.tables.memory_links import MemoryLink, links_among
from palimp_daemon.store.tables.memory_rows import Row
from palimp_daemon.store.tables.memory_statements import statements_of
from palimp_daemon.store.tables.mutes import muted_among
from palimp_daemon.store.tables.project_sizes import count_memories
from palimp_daemon.store.tables.proposals import count_waiting
from palimp_daemon.store.tables.search.memory_order import odds_between
from palimp_daemon.store.tables.search.memory_query import SearchRequest
from palimp_daemon.store.tables.search.memory_search import matching
from palimp_daemon.store.tables.search.successors import with_former_names
from palimp_daemon.store.tables.sessions.session_rows import already_told
from palimp_daemon.store.tables.unasked import CURRENT, PROPOSED
from palimp_daemon.store.tables.vector_rows import QueryVectors
from palimp_daemon.store.tables.words.stem_counts import StemCounts, frequencies
from palimp_daemon.text.reading_prompts import reading_part
from palimp_protocol.messages.caller import Caller

PROMPT_CHARACTERS_MAX: Final = 2_000
"""Characters read of a prompt: questions precede pasted text."""

LOOKED_AT: Final = 12
"""Memories weighed, the best by words and the nearest in meaning."""

POSTINGS: Final = 10_000
"""Postings read for one prompt: some 10 ms. Memories with only common words are not needed."""

POINTED_SAID_MIN: Final = 3.0
"""Least weight of the words that a prompt shares with a proposal or session to be pointed to it: that of three words
found nowhere else. Prompts of other projects reach at most 2.7; 17 tasks settled in a chat reach this."""

PIECE_TELLS: Final = 0.7
"""Least weight of a piece of text without spaces: that of a word in a few memories."""


class Weighed(NamedTuple):
    """Current memories found for a prompt, by bearing, with the bound."""

    bearings: list[Bearing]
    bound: float
    weights: Weights
    rows: dict[int, Row]
    """By number."""
    sharing: AbstractSet[int]
    """Memories that share pieces with a prompt without spaces; they need not reach the bound."""


def known_for_prompt(caller: Caller, prompt: str, query_vectors: QueryVectors, now_ms: int, store: Store) -> list[Row]:
    """Return the needed memories that the session was not given, best first."""
    found = weigh_memories(caller, prompt, query_vectors, now_ms, store)
    if found is None:
        return []
    given = needed_bearings(found.bearings, found.bound, found.weights)
    sharing = [each for each in found.bearings if each.seq in found.sharing and each not in given]
    return [found.rows[each.seq] for each in (*given, *sharing)][:GIVEN_MAX]


class _Candidates(NamedTuple):
    session: int | None
    words: Mapping[str, float]
    pieces: Sequence[Piece]
    rows: Sequence[Row]
    cosines: Mapping[int, float]
    """By number; none if semantic search is off or late."""
    projects: Sequence[int]


def proposal_for_prompt(
    caller: Caller, prompt: str, query_vectors: QueryVectors, now_ms: int, told: Collection[int], store: Store
) -> Row | None:
    """Return the most needed proposal, except those *told*, or None."""
    project = project_row(store, caller)
    if project is None or not count_waiting(store, project):
        return None
    found = weigh_memories(caller, prompt, query_vectors, now_ms, store, PROPOSED)
    given = needed_bearings(found.bearings, found.bound, found.weights) if found else []
    bearing = [each for each in given if each.said >= POINTED_SAID_MIN and each.seq not in told]
    return found.rows[bearing[0].seq] if found and bearing else None


def weigh_memories(
    caller: Caller, prompt: str, query_vectors: QueryVectors, now_ms: int, store: Store, among: Filter = CURRENT
) -> Weighed | None:
    """Weigh the memories found for *prompt*; None if it says nothing."""
    text = prompt[:PROMPT_CHARACTERS_MAX].replace('"', " ")
    candidates = _candidates(caller, text, query_vectors, now_ms, store, among)
    if candidates is None:
        return None
    session, words, pieces, rows, cosines, projects = candidates
    telling = telling_words_of_language(text, store.stems)
    asked = Prompt(words, telling, reading_part(text), language_of(text) != ENGLISH)
    weights = SEMANTIC_WEIGHTS if cosines else LEXICAL_WEIGHTS
    statements = statements_of(store, [row.seq for row in rows])
    best = _bearings(store, asked, rows, statements, cosines)[:COMPARED]
    odds = odds_between(store, {each.seq: statements[each.seq] for each in best}, is_semantic=bool(cosines))
    odds = of_one_subject(odds, weights.odds, {row.seq: row.content for row in rows}, text)
    links = links_among(store, [each.seq for each in best])
    replaced = _inferred_to_be_replaced(store, links)
    held = [each for each in not_replaced(best, odds, weights.odds) if each.seq not in replaced]
    newer = _telling_what_holds(store, links, rows, words)
    held = _each_once(each._replace(seq=newer[each.seq].seq) if each.seq in newer else each for each in held)
    rows = [*rows, *newer.values()]
    known = already_told(store, session) if session is not None else set[int]()
    told = {row.seq for row in rows if row.seq in known or (session is not None and row.session_id == session)}
    told |= muted_among(store, [row.seq for row in rows])
    everything = store.state(StemCounts).counted_at
    return Weighed(
        [each for each in held if each.seq not in told],
        bound_of(asked, weights, count_memories(store, projects)),
        weights,
        {row.seq: row for row in rows},
        sharing_two(store, pieces, rows, lambda count: rarity(count, everything) >= PIECE_TELLS),
    )


def _candidates(
    caller: Caller, text: str, query_vectors: QueryVectors, now_ms: int, store: Store, among: Filter
) -> _Candidates | None:
    own = project_row(store, caller)
    words, pieces = words_of_prompt(store, text), pieces_of(text)
    has_words = bool(words or pieces)
    if not has_words and not query_vectors:
        return None
    projects = sorted({GLOBAL_PROJECT, GLOBAL_PROJECT if own is None else own})
    where = memory_rows.in_scope(projects)
    # What is muted is found, too, and left out in the end: it still replaces what is older.
    alive = Filter(f"{where.sql} AND {among.sql}", where.values)
    lexical = matching(store, SearchRequest(text, alive, LOOKED_AT, None, POSTINGS), now_ms) if has_words else None
    seqs = [each.seq for each in lexical.ranked] if lexical else []
    cosines = _cosines(store, query_vectors, seqs, projects, alive) if query_vectors else {}
    session = None if own is None else session_row(store, caller, own)
    rows = memory_rows.distinct(memory_rows.rows_by_seq(store, [*dict.fromkeys([*seqs, *cosines])]))
    return _Candidates(session, words, pieces, rows, cosines, projects)


def _bearings(
    store: Store,
    prompt: Prompt,
    rows: Sequence[Row],
    statements: Mapping[int, Statement],
    cosines: Mapping[int, float],
) -> list[Bearing]:
    weights = SEMANTIC_WEIGHTS if cosines else LEXICAL_WEIGHTS
    everyday = _of_everything(store.stems)
    found: list[PromptCandidate] = []
    for row in rows:
        stems = store.stems.found_by(f"{row.title} {row.content} {row.tags}")
        found.append(PromptCandidate(row.seq, stems, statements[row.seq].words, max(0.0, cosines.get(row.seq, 0.0))))
    return sorted((bearing(prompt, each, weights, everyday) for each in found), key=lambda each: -each.score)


def _cosines(
    store: Store, query_vectors: QueryVectors, seqs: Sequence[int], projects: Sequence[int], alive: Filter
) -> dict[int, float]:
    from palimp_daemon.store.tables.search.vector_search import Among, nearest  # noqa: PLC0415  numpy is installed where a meaning is known

    # Second vectors are compared of what was found: to look for others by them would cost as much again.
    first = query_vectors if len(query_vectors) == 1 else tuple(each._replace(beside=()) for each in query_vectors)
    near, _ = nearest(store, first, Among(projects, alive, LOOKED_AT))
    return vector_rows.mean_cosines(query_vectors, vector_rows.of(store, [*dict.fromkeys([*seqs, *near])]))


def _inferred_to_be_replaced(store: Store, links: Sequence[MemoryLink]) -> set[int]:
    replacing = [link for link in links if link.relation == "replaces"]
    newer = memory_rows.fitting(store, sorted({link.newer for link in replacing}), CURRENT)
    return {link.older for link in replacing if link.newer in newer}


def _telling_what_holds(
    store: Store, links: Sequence[MemoryLink], rows: Sequence[Row], words: Collection[str]
) -> dict[int, Row]:
    """Map rows with a name that holds no more to successors, if its part shares *words*."""
    older = {row.seq: row for row in rows}
    narrowing = [link for link in links if link.relation == "narrows" and link.older in older]
    holding = memory_rows.fitting(store, sorted({link.newer for link in narrowing}), CURRENT) if narrowing else ()
    newer = {row.seq: row for row in memory_rows.rows_by_seq(store, sorted(holding))} if holding else {}
    texts = {seq: row.content for seq, row in (older | newer).items()}
    pairs = with_former_names(narrowing, texts, lambda part: not store.stems.found_by(part).isdisjoint(words))
    return {former: newer[seq] for seq, former in sorted(pairs) if seq in newer}


def _each_once(bearings: Iterable[Bearing]) -> list[Bearing]:
    best: dict[int, Bearing] = {}
    for each in bearings:
        best.setdefault(each.seq, each)
    return [*best.values()]


def words_of_prompt(store: Store, text: str) -> dict[str, float]:
    """Return the telling stems of a prompt, with their rarity, at most 1."""
    terms = [term for term in parse_query(text).terms if " " not in term]
    stems = {stem: term for term in terms for stem in store.stems.of_term(term)}
    counts = frequencies(store, stems.keys(), newest_memory(store))
    everyday, memories = _of_everything(store.stems), store.state(StemCounts).counted_at
    return {
        stem: rarity(counts.get(stem, 0), memories) * (EVERYDAY_PART if stem in everyday else 1.0)
        for stem, term in stems.items()
        if not term.isdecimal() and len(term) > 2
    }


@lru_cache(maxsize=1)
def _of_everything(stems: Stems) -> frozenset[str]:
    words = " ".join(sections(lambda language: language.of_everything).values())
    return frozenset(stem for word in words.split() for stem in stems.of_term(word))
