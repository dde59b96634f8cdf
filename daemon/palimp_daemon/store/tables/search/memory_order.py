"""Order found memories by relevance, the best also by replacement."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from palimp_daemon.judgement.replacing import Statement, odds_among
from palimp_daemon.judgement.siblings import of_one_subject
from palimp_daemon.search.cjk import UNSPACED_RUN
from palimp_daemon.search.folding import compatible
from palimp_daemon.search.match_positions import SearchStems, positions_by_stem, search_stems
from palimp_daemon.search.memory_ranking import (
    AS_IT_IS,
    COVERED,
    NOW,
    ODDS_MIN,
    ORDERED_MAX,
    RATIO_WEIGHT_LEXICAL,
    Candidate,
    MemoryRank,
    Odds,
    Word,
    by_relevance,
    complete_first,
    covered_share,
    in_time,
    whole_of,
    word_weight,
)
from palimp_daemon.search.quotation import is_quotation
from palimp_daemon.search.terms import term_of_word
from palimp_daemon.search.version_words import is_version_word, version_words
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables import vector_rows
from palimp_daemon.store.tables.memory_links import MemoryLink, links_among
from palimp_daemon.store.tables.memory_statements import statements_of
from palimp_daemon.store.tables.search.memory_query import KnownMemory, LexicalPart, SearchRequest
from palimp_daemon.store.tables.search.successors import successors_of, with_former_names

SAID_ODDS: Final = 0.0
"""Least log odds of a memory that says that a name in an older one is outdated: more likely than not its
replacement."""

COVERING_MAX: Final = 3
"""Best hits by the index, and their equals, checked for the whole query."""


class Ordered(NamedTuple):
    """Memories in the order of the answer, and by relevance."""

    best: list[MemoryRank]
    """Best answers first, and of those, current ones."""
    compared: list[MemoryRank]
    """By relevance alone."""


def memories_in_order(
    store: Store,
    asked: SearchRequest,
    prepared: LexicalPart,
    known: Sequence[KnownMemory],
    cosines: Mapping[int, float],
) -> Ordered:
    """Order the *known* memories for the answer."""
    scores = {hit.seq: hit.score for hit in (*prepared.hits, *prepared.by_related)}
    candidates = [
        Candidate(
            seq=each.seq,
            counts=_counts(store, prepared, each.text) if each.text else {},
            characters=len(each.text),
            bm25=scores.get(each.seq),
            cosine=cosines.get(each.seq),
            created_at=each.created_at,
            text=each.text,
        )
        for each in known
    ]
    compared = by_relevance(candidates, prepared.words, has_slips=bool(prepared.spelled))
    ranks = complete_first(compared)
    time = asked.time
    covering = {rank.seq for rank in ranks if rank.has_all_words}
    if time == NOW and is_quotation(asked.text, (each.text for each in known if each.seq in covering)):
        time = AS_IT_IS
    texts = {each.seq: each.text for each in known}

    def is_asked(part: str) -> bool:
        return bool(_counts(store, prepared, part))

    links: list[MemoryLink] = []
    if time == NOW:
        links = links_among(store, [rank.seq for rank in ranks[:ORDERED_MAX]])
        successors = successors_of(store, ranks, links, asked.where, texts, is_asked)
        texts |= {each.rank.seq: each.text for each in successors}
        ranks = complete_first(sorted([*ranks, *(each.rank for each in successors)], key=lambda rank: -rank.score))

    def odds_of(best: Sequence[MemoryRank]) -> Odds:
        odds = _odds(store, best, is_semantic=bool(cosines))
        said = with_former_names(links, texts, is_asked) & odds.of_pairs.keys()
        of_pairs = {**odds.of_pairs, **{pair: max(SAID_ODDS, odds.of_pairs[pair]) for pair in said}}
        return odds._replace(of_pairs=of_one_subject(of_pairs, odds.least, texts, asked.text))

    return Ordered(in_time(ranks, time, odds_of), compared)


def _counts(store: Store, prepared: LexicalPart, text: str) -> dict[str, int]:
    """Count each query word in *text*; a name in one word (`parsejson`) also for its parts (`parseJSON`)."""
    wanted = prepared.wanted
    if (known := wanted.counts.get(text)) is None:
        known = wanted.counts[text] = _count_stems(store, wanted, text)
        for whole, parts in prepared.query.parts.items():
            count = max((known.get(stem, 0) for stem in prepared.stems.get(whole, ())), default=0)
            if count:
                of_parts = {stem for part in parts for stem in prepared.stems.get(part, ())}
                known |= {stem: max(count, known.get(stem, 0)) for stem in of_parts}
    return known


def _count_stems(store: Store, wanted: SearchStems, text: str) -> dict[str, int]:
    text = text if text.isascii() else compatible(text)  # as the index has it: of a ligature its letters
    counts = {stem: len(places) for stem, places in positions_by_stem(text, wanted, store.stems).items()}
    versions = [word for word in version_words(text) if word in wanted.stems]
    return counts | dict(Counter(versions)) if versions else counts


def with_further_stems(store: Store, wanted: SearchStems, stems: Collection[str]) -> SearchStems:
    """Return *wanted* with *stems*, of which the texts counted so far are counted, too."""
    both, further = search_stems({*wanted.stems, *stems}, store.stems), search_stems(stems, store.stems)
    both.counts.update({text: known | _count_stems(store, further, text) for text, known in wanted.counts.items()})
    return both


def query_words(prepared: LexicalPart) -> list[Word]:
    """Return the query's words, misspelled ones with their corrections."""
    stems = prepared.stems
    proper = _names_of(stems, {name: map(term_of_word, name.split()) for name in prepared.proper_names})
    meant: dict[str, dict[str, float]] = {}
    for each in prepared.spelled:
        forms = {
            stem: neighbour.weight * _weight(prepared, stem)
            for neighbour in each.neighbours
            for stem in stems.get(neighbour.word, ())
        }
        for stem in [stem for term in (each.asked, *each.asked.split()) for stem in stems.get(term, ())]:
            meant.setdefault(stem, {}).update(forms)
    terms = (*prepared.query.terms, *prepared.query.required)
    names = _names_of(stems, {term: [term] for term in filter(_is_name, terms)})
    stand_ins = {stem for forms in meant.values() for stem in forms}
    # What is written without spaces says what its characters say, and stands in few texts as it was asked for.
    asked = dict.fromkeys(
        stem for term in terms for stem in stems[term] if len(stem) == 1 or not UNSPACED_RUN.search(stem)
    )
    words: list[Word] = []
    for stem in asked:
        own, forms = _weight(prepared, stem), meant.get(stem, {})
        if forms:  # a slip says as much as what it stands for
            likeliest = max(forms, key=lambda form: forms[form])
            forms = {stem: own, **forms}
            words.append(Word(forms[likeliest], forms, likeliest, names[stem], proper[stem]))
        elif stem not in stand_ins:
            related = prepared.related.get(stem, {})
            near = {other: part * min(own, _weight(prepared, other)) for other, part in related.items()}
            words.append(Word(own, {**near, stem: own}, stem, names[stem], proper[stem]))
    return words


def _names_of(stems: Mapping[str, Sequence[str]], terms: Mapping[str, Iterable[str]]) -> Mapping[str, frozenset[str]]:
    names: defaultdict[str, frozenset[str]] = defaultdict(frozenset)
    for name, its_terms in terms.items():
        for term in its_terms:
            for stem in stems.get(term, ()):
                names[stem] |= {name}
    return names


def _is_name(term: str) -> bool:
    is_one = " " in term or any(map(str.isdigit, term)) or is_version_word(term)
    return is_one and not UNSPACED_RUN.search(term)


def is_covered(store: Store, prepared: LexicalPart) -> bool:
    """Tell whether one of the best hits covers the query."""
    scores = sorted((hit.score for hit in prepared.hits), reverse=True)[:COVERING_MAX]
    best = {hit.seq for hit in prepared.hits if hit.score >= scores[-1]}
    return one_covers(store, prepared, (each for each in prepared.known if each.seq in best), COVERED)


def one_covers(store: Store, prepared: LexicalPart, known: Iterable[KnownMemory], part: float) -> bool:
    """Tell whether one of *known* has *part* of the query's own words."""
    words, whole = prepared.words, whole_of(prepared.words)
    texts = (each.text for each in known if each.text)
    return any(covered_share(_counts(store, prepared, text), words, whole) >= part for text in texts)


def _weight(prepared: LexicalPart, stem: str) -> float:
    return word_weight(prepared.counts.get(stem, 0), prepared.newest)


def _odds(store: Store, ranks: Sequence[MemoryRank], *, is_semantic: bool) -> Odds:
    odds = odds_between(store, statements_of(store, [rank.seq for rank in ranks]), is_semantic=is_semantic)
    return Odds(odds) if is_semantic else Odds(odds, ODDS_MIN, RATIO_WEIGHT_LEXICAL, share=0.0)


def odds_between(
    store: Store, statements: Mapping[int, Statement], *, is_semantic: bool
) -> dict[tuple[int, int], float]:
    """Return the log odds of replacement by (newer, older) number."""
    near = vector_rows.cosines_between(store, vector_rows.of(store, list(statements))) if is_semantic else {}
    return odds_among(statements, near)
