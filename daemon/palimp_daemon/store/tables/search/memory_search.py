"""Find memories: plan a query, ask the index, order the hits.

The index is read in slices, newest first, within SEARCH_BUDGET_S; an incomplete answer says so. A semantic search's
lexical part is prepared while its vector is made, and valid until the next write.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from palimp_daemon.runtime.sql import in_list
from palimp_daemon.search.engine import Expression, Filter, Hit, newest_matching, search, search_in_context
from palimp_daemon.search.match_positions import NO_STEMS, SearchStems, positions_by_stem, search_stems
from palimp_daemon.search.memory_ranking import COVERED_WHOLE, best_of, lacking
from palimp_daemon.search.plan import POSTINGS_MAX, Plan, plan_of, unknown_terms, with_neighbours
from palimp_daemon.search.proper_names import proper_names
from palimp_daemon.search.ranking import (
    AROUND_MEMORIES,
    MEANING_CANDIDATES,
    RERANKED_MAX,
    Candidate,
    is_code,
    lift_few,
    rank_candidates,
)
from palimp_daemon.search.terms import Query, match_expression, parse_query
from palimp_daemon.store.store import Store, newest_memory
from palimp_daemon.store.tables import vector_rows
from palimp_daemon.store.tables.search.complete_hits import complete_hits
from palimp_daemon.store.tables.search.memory_bounds import Bounds, bounds_of, bounds_sparing
from palimp_daemon.store.tables.search.memory_order import (
    is_covered,
    memories_in_order,
    one_covers,
    query_words,
    with_further_stems,
)
from palimp_daemon.store.tables.search.memory_query import (
    READ_CHARACTERS,
    KnownMemory,
    LexicalPart,
    Matches,
    PreparedSearches,
    SearchRequest,
)
from palimp_daemon.store.tables.words.related_terms import related_stems
from palimp_daemon.store.tables.words.stem_counts import frequencies
from palimp_daemon.store.tables.words.unknown_words import discount_hits, try_neighbours
from palimp_protocol.limits import RECALL_ROWS_MAX, TEXT_CHARACTERS_MAX

SLICE_POSTINGS: Final = 150_000
"""Postings read between two looks at the clock: about 100 ms."""

SEARCH_BUDGET_S: Final = 0.25
"""Seconds after which a search returns the hits so far."""


COMMON_SHARE: Final = 0.5
"""Share of all memories from which a word in them has no weight."""

COMMON_POSTINGS: Final = 10_000
"""Postings up to which even such words are all read and ranked: some 10 ms."""

COMMON_ROWS: Final = 2_000
"""Memories in the first slice of such words."""

PHRASE_ROWS: Final = 8 * COMMON_ROWS
"""The same of a phrase, which fewer memories have: three slices among 100,000."""

COMMON_SCORE: Final = 1e-6
"""Score of a word without weight, as in FTS5."""

FEW_HITS: Final = 50
"""With fewer lexical hits, a semantic search compares all memories; else fewer, and only if no hit covers the query."""

WIDENED_SHARE: Final = 0.3
"""Factor on the score of memories found by related words only."""

COSINE_MIN: Final = 0.2
"""Least cosine for a memory without any of the words: unrelated texts lie around 0.1."""

NEAREST_ALWAYS: Final = 3
"""With fewer lexical hits, the nearest vectors fill up to this number even below COSINE_MIN, for queries in other
words."""

READ_MAX: Final = RECALL_ROWS_MAX
"""Best hits read to rank them in a semantic search, or in a store without more memories."""

READ_LEXICAL_MAX: Final = RERANKED_MAX
"""The same by words alone; further hits would have to rise too far."""

READ_ALWAYS: Final = 3
"""The best hits, always read, to see whether they answer."""

AHEAD_MAX: Final = 8
"""Semantic searches with their lexical part awaiting the query's vector; callers may have gone."""


def matching(store: Store, asked: SearchRequest, now_ms: int) -> Matches:
    """Return the best memories for *asked*."""
    prepared = _prepared_or_now(store, asked) if asked.semantic else _prepare(store, asked)
    if prepared is None:
        return Matches([], 0, NO_STEMS, ["The query has no words to search for (letters or digits)."])
    cosines, left_out = _cosines(store, asked, prepared)
    hits = [*prepared.hits, *prepared.by_related]
    found = {hit.seq for hit in hits}
    others = [Hit(seq, 0.0) for seq in sorted(cosines, key=lambda seq: -cosines[seq]) if seq not in found]
    known = prepared.known
    if others:
        known = [
            *known,
            *_known_memories(store, [other.seq for other in others], READ_MAX - len(hits), as_turns=asked.as_turns),
        ]
    total, notes = prepared.total + len(others), [*prepared.notes, *left_out]
    if not asked.as_turns:
        best, compared = memories_in_order(store, asked, prepared, known, cosines)
        return Matches(
            best_of(best, asked.limit),
            total,
            prepared.wanted,
            notes,
            compared=compared,
            asked_words=len(prepared.words),
            is_loose=prepared.is_loose,
            lacks_name=bool(lacking(compared)),
        )
    in_order, ordering = _stems_in_order(prepared.query, prepared.plan, prepared.stems)
    candidates = _candidates(store, [*hits, *others], known, prepared.wanted, cosines)
    candidates = lift_few(candidates, prepared.newest)
    best = rank_candidates(candidates, in_order, ordering, prepared.plan.idf, now_ms, asked.limit)
    return Matches(best, total, prepared.wanted, notes)


def newest_with_phrase(
    store: Store, phrases: Iterable[str], where: Filter, limit: int, projects: Sequence[int]
) -> list[int]:
    """Return the newest memories under *where* with one of *phrases*."""
    parsed = (phrase for each in phrases for phrase in _whole(parse_query(f'"{each}"')))
    folded = dict.fromkeys(folded for phrase in parsed if (folded := store.engine.fold(phrase).strip()))
    if not folded:
        return []
    within = bounds_of(store, projects, newest_memory(store))
    hits, _, _ = _newest(store, Expression(match_expression([*folded])), where, limit, within, PHRASE_ROWS)
    return [hit.seq for hit in hits]


def _whole(quoted: Query) -> Sequence[str]:
    return quoted.required or [each for each in quoted.terms if each.replace(" ", "") == quoted.terms[0]]


def look_ahead(store: Store, asked: SearchRequest) -> None:
    """Prepare the search *asked* before its vector is known."""
    prepared = store.state(PreparedSearches).parts
    while len(prepared) >= AHEAD_MAX:
        del prepared[next(iter(prepared))]
    prepared[asked] = (store.connection.total_changes(), _prepare(store, asked, is_semantic=True))


def _prepared_or_now(store: Store, asked: SearchRequest) -> LexicalPart | None:
    changes, found = store.state(PreparedSearches).parts.pop(asked._replace(semantic=None), (-1, None))
    is_valid = changes == store.connection.total_changes()
    return found if is_valid else _prepare(store, asked, is_semantic=True)


def _prepare(store: Store, asked: SearchRequest, *, is_semantic: bool = False) -> LexicalPart | None:
    query = parse_query(asked.text, by_date=asked.as_turns)
    if not (query.terms or query.required):
        return None
    newest = newest_memory(store)
    is_small = newest <= READ_MAX and not asked.as_turns
    most = READ_MAX if is_semantic or is_small else READ_LEXICAL_MAX
    limit = max(asked.limit, MEANING_CANDIDATES if is_semantic else most)
    stems = {term: store.stems.of_term(term) for term in (*query.required, *query.terms)}
    wanted = search_stems((stem for each in stems.values() for stem in each), store.stems)
    spellings = {term: store.stems.of_term(term) for term in query.spellings}
    counts = frequencies(store, wanted.stems.union(*spellings.values()), newest)
    unknown = unknown_terms(query, stems, counts)
    spelled = try_neighbours(store, asked.text, unknown, asked.where, newest) if asked.is_spelled else []
    if spelled:
        query = with_neighbours(query, {each.asked: [other.word for other in each.neighbours] for each in spelled})
        stems |= {term: store.stems.of_term(term) for term in query.terms if term not in stems}
        wanted = search_stems((stem for each in stems.values() for stem in each), store.stems)
        counts = frequencies(store, wanted.stems.union(*spellings.values()), newest)
    plan = plan_of(query, {**spellings, **stems}, counts, newest, asked.postings_max or POSTINGS_MAX)
    (hits, total, notes), is_loose = _search_phrases(store, plan, stems, asked, limit, newest)
    if spelled and hits:
        notes = [*(each.sentence() for each in spelled), *notes]
        hits = discount_hits(store, hits, spelled, plan, in_context=asked.as_turns)
    in_order, ordering = _stems_in_order(query, plan, stems)
    # The order of what one word found does not depend on the texts, but in a small store.
    is_read = is_semantic or len(in_order) > 1 or ordering or is_small
    seqs = [hit.seq for hit in hits]
    read_max = most if is_read else READ_ALWAYS
    known = _known_memories(store, seqs, read_max, as_turns=asked.as_turns)
    near = vector_rows.of(store, seqs) if is_semantic else {}
    prepared = LexicalPart(
        query, stems, wanted, plan, hits, total, notes, known, near, newest, counts, spelled, is_loose
    )
    return prepared if asked.as_turns else _widen(store, asked, prepared, limit, is_semantic=is_semantic)


def _search_phrases(
    store: Store, plan: Plan, stems: dict[str, list[str]], asked: SearchRequest, limit: int, newest: int
) -> tuple[tuple[list[Hit], int, list[str]], bool]:
    """Return the hits and False; where required phrases find none, hits by their words, and True."""
    found = _search(store, plan, asked, limit, newest)
    if found[0] or not plan.required:
        return found, False
    words = [stem for phrase in plan.required for stem in stems[phrase] if stem in plan.idf]
    plan_of_words = plan._replace(selecting=[*plan.selecting, *words], required=[])
    hits, total, notes = _search(store, plan_of_words, asked, limit, newest)
    phrases = " and ".join(f'"{phrase}"' for phrase in plan.required)
    notes = [f"Nothing contains {phrases}; these hold some of its words.", *notes] if hits else []
    return (hits, total, notes), bool(hits)


def _widen(store: Store, asked: SearchRequest, prepared: LexicalPart, limit: int, *, is_semantic: bool) -> LexicalPart:
    prepared = prepared._replace(proper_names=proper_names(asked.text, asked.project))
    prepared = prepared._replace(words=query_words(prepared))
    prepared = _with_complete(store, asked, prepared, is_semantic=is_semantic)
    prepared = prepared._replace(is_covered=is_covered(store, prepared))
    if prepared.is_covered or prepared.plan.required or not asked.is_spelled:
        return prepared
    slips = {each.asked for each in prepared.spelled}
    related = related_stems(store, asked.text, prepared.query, prepared.stems, slips)
    others = frozenset(stem for each in related.values() for stem in each)
    counts = frequencies(store, others, prepared.newest)
    if not counts:
        return prepared
    query, stems = Query(list(counts), []), {stem: [stem] for stem in counts}
    plan = plan_of(query, stems, counts, prepared.newest, asked.postings_max or POSTINGS_MAX)
    found, _, _ = _search(store, plan, asked, limit, prepared.newest)
    known = {hit.seq for hit in prepared.hits}
    hits = [hit._replace(score=WIDENED_SHARE * hit.score) for hit in found if hit.seq not in known]
    seqs = [hit.seq for hit in hits]
    widened = prepared._replace(
        total=prepared.total + len(hits),
        wanted=with_further_stems(store, prepared.wanted, counts),
        known=[*prepared.known, *_known_memories(store, seqs, READ_MAX - len(prepared.hits), as_turns=False)],
        vectors=prepared.vectors | (vector_rows.of(store, seqs) if is_semantic else {}),
        counts=prepared.counts | counts,
        related=related,
        by_related=hits,
    )
    return widened._replace(words=query_words(widened))


def _with_complete(store: Store, asked: SearchRequest, prepared: LexicalPart, *, is_semantic: bool) -> LexicalPart:
    are_all_read = prepared.total <= len(prepared.hits) and all(
        len(each.text) < READ_CHARACTERS for each in prepared.known
    )
    if are_all_read or one_covers(store, prepared, prepared.known, COVERED_WHOLE):
        return prepared
    complete = complete_hits(store, asked, prepared)
    seqs, found = [hit.seq for hit in complete], {hit.seq for hit in prepared.hits}
    others = [each for each in prepared.known if each.seq not in seqs]
    return prepared._replace(
        hits=[*prepared.hits, *(hit for hit in complete if hit.seq not in found)],
        known=[*_rows(store, seqs, f"{_text(TEXT_CHARACTERS_MAX)}, NULL"), *others],
        vectors=prepared.vectors | (vector_rows.of(store, seqs) if is_semantic else {}),
    )


def _stems_in_order(query: Query, plan: Plan, stems: dict[str, list[str]]) -> tuple[list[str], list[str]]:
    in_order = [stem for term in (*query.terms, *query.required) if " " not in term for stem in stems[term]]
    return in_order, [stem for term in plan.ordering for stem in stems[term]]


def _search(
    store: Store, plan: Plan, asked: SearchRequest, limit: int, newest: int
) -> tuple[list[Hit], int, list[str]]:
    fold = store.engine.fold
    terms = [folded for term in plan.selecting if (folded := fold(term).strip())]
    required = [folded for phrase in plan.required if (folded := fold(phrase).strip())]
    if not (terms or required):
        return [], 0, []
    expression = Expression(match_expression(terms, required), len(required))
    within = bounds_sparing(store, asked.projects, asked.span, plan.postings) if asked.span else None
    if _is_common(plan, newest):
        return _newest(
            store, expression, asked.where, limit, within or bounds_of(store, asked.projects, newest), COMMON_ROWS
        )
    first, last = within or Bounds(1, newest)
    hits: list[Hit] = []
    total, upper = 0, last + 1
    slices = max(1, -(-plan.postings * (upper - first) // (SLICE_POSTINGS * max(newest, 1))))
    ends_at = time.monotonic() + SEARCH_BUDGET_S
    find = search_in_context if asked.as_turns else search
    for number in range(slices, 0, -1):
        lower = first - 1 + (last + 1 - first) * (number - 1) // slices
        part = (lower, upper) if slices > 1 or within else None
        found, count = find(store.connection, store.engine, expression, asked.where, limit, part)
        hits, total, upper = hits + found, total + count, lower + 1
        if number > 1 and time.monotonic() > ends_at:
            return _best(hits, limit), total, [_left_out(last - lower, last + 1 - first)]
    return hits if slices == 1 else _best(hits, limit), total, []


def _is_common(plan: Plan, newest: int) -> bool:
    is_one = len(plan.selecting) == 1 and not plan.required
    return is_one and plan.postings > COMMON_POSTINGS and plan.postings >= COMMON_SHARE * newest


def _newest(
    store: Store, expression: Expression, where: Filter, limit: int, within: Bounds, size: int
) -> tuple[list[Hit], int, list[str]]:
    first, last = within
    upper, total = last + 1, 0
    seqs: list[int] = []
    ends_at = time.monotonic() + SEARCH_BUDGET_S
    while upper > first and len(seqs) < limit and (upper > last or time.monotonic() < ends_at):
        lower = max(first - 1, upper - 1 - size)
        found, count = newest_matching(
            store.connection, store.engine, expression, where, limit - len(seqs), (lower, upper)
        )
        seqs, total, upper, size = seqs + found, total + count, lower + 1, 2 * size
    notes = [_left_out(last + 1 - upper, last + 1 - first)] if upper > first else []
    return [Hit(seq, COMMON_SCORE) for seq in seqs], total, notes


def _left_out(searched: int, newest: int) -> str:
    return f"The words are common: only the {searched:,} newest of {newest:,} were searched. Add a rarer word."


def _best(hits: list[Hit], limit: int) -> list[Hit]:
    return sorted(hits, key=lambda hit: (-hit.score, -hit.seq))[:limit]


def _cosines(store: Store, asked: SearchRequest, prepared: LexicalPart) -> tuple[dict[int, float], list[str]]:
    if asked.semantic is None:
        return {}, []
    query, projects = asked.semantic
    cosines = (vector_rows.cosines if asked.as_turns else vector_rows.plain_cosines)(query, prepared.vectors)
    has_many = len(prepared.hits) >= FEW_HITS
    if prepared.plan.required or (has_many and (asked.as_turns or prepared.is_covered)):
        return cosines, []
    from palimp_daemon.store.tables.search.vector_search import Among, nearest  # noqa: PLC0415  numpy is installed where a meaning is known

    among = Among(projects, asked.where, FEW_HITS, is_beside=has_many, span=asked.span)
    near, left_out = nearest(store, query, among)
    always = {*list(near)[: max(0, NEAREST_ALWAYS - len(prepared.hits))]}
    others = {seq: cosine for seq, cosine in near.items() if cosine >= COSINE_MIN or seq in always}
    return cosines | others, [left_out] if left_out else []


def _candidates(
    store: Store, hits: Sequence[Hit], known: Sequence[KnownMemory], wanted: SearchStems, cosines: Mapping[int, float]
) -> list[Candidate]:
    scores = {hit.seq: hit.score for hit in hits}
    return [
        Candidate(
            seq=each.seq,
            words=scores[each.seq],
            said=positions_by_stem(each.text, wanted, store.stems) if each.text else {},
            session=each.session,
            created_at=each.created_at,
            around_from=each.around_from or 0,
            is_superseded=bool(each.is_superseded),
            cosine=cosines.get(each.seq, 0.0),
            is_code=is_code(each.text) if each.text and cosines else None,
        )
        for each in known
    ]


def _text(characters: int) -> str:
    title = "CASE WHEN instr(content, rtrim(title, '…')) THEN '' ELSE title || char(10) END"
    return f"{title} || substr(content, 1, {characters}) || char(10) || tags"


_AROUND: Final = (
    "(SELECT seq FROM memories WHERE session_id = m.session_id"
    f" AND seq < m.seq ORDER BY seq DESC LIMIT 1 OFFSET {AROUND_MEMORIES - 1})"
)
"""The first memory around a turn; none if its session has no more before it."""


def _known_memories(store: Store, seqs: Sequence[int], read_max: int, *, as_turns: bool) -> list[KnownMemory]:
    read = max(0, read_max)
    what = f"{_text(READ_CHARACTERS)}, {_AROUND if as_turns else 'NULL'}"
    return [*_rows(store, seqs[:read], what), *_rows(store, seqs[read:], "'', NULL")]


def _rows(store: Store, seqs: Sequence[int], what: str) -> list[KnownMemory]:
    if not seqs:
        return []
    places, values = in_list(seqs)
    columns = f"seq, {what}, session_id, created_at, superseded_by IS NOT NULL"
    return store.records(KnownMemory, f"SELECT {columns} FROM memories m WHERE seq IN {places}", values)
