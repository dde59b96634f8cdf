"""Rank found memories by relevance, and by which of them hold now.

*words* is BM25 as a share of a text with the whole query; words of no memory count as missing. *meaning* is the cosine
times MEANING_WEIGHT; without a vector, that expected by the words. Both scales are absolute, so a bad best stays bad.

A newer memory passes the one it likely replaces (`judgement.replacing`) if the log odds, less RATIO_WEIGHT times its
relative loss of score, reach ODDS_MIN, and its score is REPLACING_SHARE of the other's. Not for questions about the
past.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from math import log
from typing import Final, Literal, NamedTuple

from palimp_daemon.search.version_words import is_version_word

SATURATION: Final = 1.2
"""BM25's k1, as in SQLite."""

LENGTH_SHARE: Final = 0.75
"""BM25's b, as in SQLite."""

MEANING_WEIGHT: Final = 4.5
"""Weight of the cosine, relative to the share of words."""

SLIPS_MEANING_WEIGHT: Final = 2.5
"""The same if a word is misspelled, which distorts the vector."""

ORDERED_MAX: Final = 10
"""Best hits put in the order of validity; the rest keep theirs."""

RATIO_WEIGHT: Final = 4.0
"""Log odds that a newer memory needs for answering less well, times the share of the older one's score that it
lacks."""

RATIO_WEIGHT_LEXICAL: Final = 2.0
"""RATIO_WEIGHT without meaning."""

ODDS_MIN: Final = -4.5
"""Log odds, with RATIO_WEIGHT's term, from which the newer one comes first. From -5 to -2, this answers the most
questions about the present, for authors left out of the fit, without reordering others (`benchmarks/judgement.py
--leave-author-out`)."""

COVERED: Final = 0.6
"""Share of the query's word weight, verbatim, from which a memory is on its subject."""

COVERED_WHOLE: Final = 0.999
"""COVERED for having all words: a sum of fractions."""

ANSWER_SCORE: Final = 3.0
"""Score with meaning equivalent to having all of the words."""

MOST_MIN: Final = 0.2
"""Floor of the greatest share of words from which a missing vector's meaning is estimated: a smaller one is chance."""

NO_WORDS: Final = 0.05
"""Share of the words below which it counts as none."""

ODDS_MIN_WITHOUT_WORDS: Final = 2.0
"""Log odds from which a memory without any of the words may precede one with some."""

ODDS_MIN_BEYOND_GAP: Final = 0.0
"""Log odds from which COVERED_GAP is ignored: more likely than not a replacement."""

COVERED_GAP: Final = 0.5
"""How much less of the query a newer memory may have: for "which db has staging?", the one about production lacks
more."""

REPLACING_SHARE: Final = 0.3
"""Share of the older memory's score that its replacement needs to answer at all; not without meaning, as words tell too
little."""

WELL_SHARE: Final = 0.6
"""Share of the best score from which answers are put in order of time."""


class Candidate(NamedTuple):
    """A found memory."""

    seq: int
    counts: Mapping[str, int]
    """Count of each of the query's words in it, by stem; empty if it was not read."""
    characters: int
    """Of its text; 0 if it was not read."""
    bm25: float | None
    """By the index, to rank unread texts; None for a semantic hit without words."""
    cosine: float | None
    """None: it has no vector yet, or the search is lexical."""
    created_at: int
    text: str = ""
    """Breaks ties, instead of the order of saving."""


class MemoryRank(NamedTuple):
    """A memory's place in the answer, with the reasons."""

    seq: int
    score: float
    words: float
    meaning: float
    created_at: int
    names: frozenset[str] = frozenset()
    """The query's names that it has, in the query's spelling."""
    covered: float = 0.0
    """Share of the query's word weight that it has verbatim."""
    replaces: tuple[int, ...] = ()
    """Numbers of the better answers that it precedes as their likely replacement."""
    lacks: frozenset[str] = frozenset()
    """The query's proper names known to be incomplete in it."""
    is_expected: bool = False
    """Whether its meaning is estimated from its words, without a vector."""

    @property
    def has_all_words(self) -> bool:
        """Whether it has every word of the query itself."""
        return self.covered >= COVERED_WHOLE


def answered_part(rank: MemoryRank) -> float:
    """Return the part of the query that a memory answers, 0 to 1.

    By its words, or by its score with a known vector.
    """
    by_meaning = min(1.0, rank.score / ANSWER_SCORE) if rank.meaning and not rank.is_expected else 0.0
    return max(rank.covered, by_meaning)


class Word(NamedTuple):
    """A word of the query: its weight, and the maximal weight of each form."""

    weight: float
    forms: Mapping[str, float]
    """Its own stem, likely corrections', and related words'."""
    own: str = ""
    """Its own stem, or the likeliest correction's."""
    names: frozenset[str] = frozenset()
    """Identifiers, versions and numbers that contain it: answers must have them whole."""
    proper: frozenset[str] = frozenset()
    """Proper names that contain it (`search.proper_names`)."""


def by_relevance(
    candidates: Sequence[Candidate], words: Sequence[Word], *, has_slips: bool = False
) -> list[MemoryRank]:
    """Rank *candidates* for a query of *words*, some misspelled if it *has_slips*."""
    weight = SLIPS_MEANING_WEIGHT if has_slips else MEANING_WEIGHT
    query = _query_of(words)
    read = [each.characters for each in candidates if each.characters]
    usual = sum(read) / len(read) if read else 1.0
    near = sorted(each.cosine for each in candidates if each.cosine is not None)
    ranks = [_rank(each, query, usual) for each in candidates]
    if near:
        most = max(rank.covered for rank in ranks)
        cosines = (
            _expected_cosine(rank, near, most) if each.cosine is None else each.cosine
            for rank, each in zip(ranks, candidates, strict=True)
        )
        meanings = [weight * max(0.0, cosine) for cosine in cosines]
        ranks = [
            rank._replace(score=rank.words + meaning, meaning=meaning)
            for rank, meaning in zip(ranks, meanings, strict=True)
        ]
    texts = {each.seq: each.text for each in candidates}
    return sorted(ranks, key=lambda rank: (-rank.score, texts[rank.seq], -rank.created_at, -rank.seq))


def complete_first(ranks: Sequence[MemoryRank]) -> list[MemoryRank]:
    """Move those with all words of the query to the front."""
    return sorted(ranks, key=lambda rank: not rank.has_all_words)


def best_of(ranks: Sequence[MemoryRank], limit: int) -> list[MemoryRank]:
    """Return the first *limit* of *ranks*, the last replaced if a later one alone has an identifier of the query."""
    shown = list(ranks[:limit])
    had = frozenset[str]().union(*(rank.names for rank in shown))
    named = next((rank for rank in ranks[limit:] if rank.names and any(map(is_identifier, rank.names - had))), None)
    return [*shown[:-1], named] if named and shown else shown


def is_identifier(name: str) -> bool:
    """Tell whether a query term has parts, or letters and digits, and is no version."""
    return " " in name or not (name.isalpha() or name.isdecimal() or is_version_word(name))


class _Query(NamedTuple):
    words: Sequence[Word]
    stands_for: Mapping[str, Sequence[tuple[int, float]]]
    """By form, the places of its words, each with its greatest weight."""
    whole: float
    names: frozenset[str]
    proper: frozenset[str]


def _query_of(words: Sequence[Word]) -> _Query:
    stands_for: dict[str, list[tuple[int, float]]] = {}
    for place, word in enumerate(words):
        for stem, most in word.forms.items():
            stands_for.setdefault(stem, []).append((place, most))
    names = frozenset[str]().union(*(word.names for word in words))
    return _Query(words, stands_for, whole_of(words), names, _proper(words))


def _rank(candidate: Candidate, query: _Query, usual: float) -> MemoryRank:
    counts, is_expected = candidate.counts, candidate.cosine is None
    if not counts:
        words = (candidate.bm25 or 0.0) / query.whole if query.whole else 0.0
        # What the index found and reading does not see (a ligature, say) has the word all the same.
        is_unseen = bool(candidate.characters and candidate.bm25 is not None)
        lacks = query.proper if candidate.bm25 is None else frozenset[str]()
        return MemoryRank(
            candidate.seq,
            words,
            words,
            0.0,
            candidate.created_at,
            covered=COVERED if is_unseen else 0.0,
            lacks=lacks,
            is_expected=is_expected,
        )
    words = sum(_word_scores(candidate, query, usual)) / query.whole if query.whole else 0.0
    names, lacks = query.names, query.proper
    if names or lacks:
        missing = [word for word in query.words if counts.keys().isdisjoint(word.forms)]
        names, lacks = names.difference(*(word.names for word in missing)), _proper(missing)
    own = covered_share(counts, query.words, query.whole)
    return MemoryRank(candidate.seq, words, words, 0.0, candidate.created_at, names, own, (), lacks, is_expected)


def _expected_cosine(rank: MemoryRank, near: Sequence[float], most: float) -> float:
    """Return the cosine expected by words; *most* is the largest covered part of any candidate.

    It rises from the median of *near*, without words, to the best, for *most* of them.
    """
    usual = near[len(near) // 2]
    return usual + rank.covered / max(most, MOST_MIN) * (near[-1] - usual)


def lacking(ranks: Sequence[MemoryRank]) -> frozenset[str]:
    """Return the query's proper names that all *ranks* lack."""
    names = ranks[0].lacks if ranks else frozenset[str]()
    for rank in ranks:
        if not names:
            break
        names &= rank.lacks
    return names


def _proper(words: Sequence[Word]) -> frozenset[str]:
    return frozenset[str]().union(*(word.proper for word in words))


def whole_of(words: Sequence[Word]) -> float:
    """Return the sum of the weights of *words*."""
    return sum([word.weight for word in words])


def covered_share(stems: Collection[str], words: Sequence[Word], whole: float) -> float:
    """Return the share of *whole*, the weight of *words*, with own stems in *stems*."""
    return sum([word.weight for word in words if word.own in stems]) / whole if whole else 0.0


def _word_scores(candidate: Candidate, query: _Query, usual: float) -> list[float]:
    length = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * candidate.characters / usual)
    said = [0.0] * len(query.words)
    for stem, count in candidate.counts.items():
        part = count * (SATURATION + 1) / (count + length)
        for place, most in query.stands_for.get(stem, ()):
            said[place] = max(said[place], most * part)
    return said


def word_weight(count: int, memories: int) -> float:
    """Return the weight of a word in *count* of *memories*; never negative, as in Lucene."""
    return log(1 + (memories - count + 0.5) / (count + 0.5)) if count <= memories else 0.0


class Time(NamedTuple):
    """The time that a question asks for, in Unix milliseconds."""

    is_past: bool = False
    """Whether a former state is asked for, so that newer memories get no precedence."""
    held_at: int | None = None
    """When the state asked for held; memories saved later come behind."""
    order: Literal["newest", "oldest", "first"] | None = None
    """Which good answers come first, even if replaced; "first": the oldest with as many words."""


NOW: Final = Time()
"""Current memories come first."""

AS_IT_IS: Final = Time(is_past=True)
"""The best answers come first, even if replaced."""


class Odds(NamedTuple):
    """Odds that one memory replaces another, and the bounds on them."""

    of_pairs: Mapping[tuple[int, int], float]
    """Log odds by pairs of numbers, the newer first; missing ones are unknown."""
    least: float = ODDS_MIN
    """Least odds that count, with RATIO_WEIGHT's term."""
    ratio_weight: float = RATIO_WEIGHT
    share: float = REPLACING_SHARE
    """Share of the older one's score that the newer one needs."""


def in_time(
    ranks: Sequence[MemoryRank],
    time: Time,
    odds_of: Callable[[Sequence[MemoryRank]], Odds],
) -> list[MemoryRank]:
    """Order *ranks* as *time* asks; *odds_of* returns the odds of replacement (`newest_first`)."""
    if time.order == "first":
        return by_beginning(ranks)
    if time.order:
        return by_date(ranks, is_newest_first=time.order == "newest")
    if time.held_at is not None:
        before = [rank for rank in ranks if rank.created_at < time.held_at]
        later = [rank for rank in ranks if rank.created_at >= time.held_at]
        return [*newest_first(before, odds_of(before[:ORDERED_MAX])), *later]
    return list(ranks) if time.is_past else newest_first(ranks, odds_of(ranks[:ORDERED_MAX]))


def by_date(ranks: Sequence[MemoryRank], *, is_newest_first: bool) -> list[MemoryRank]:
    """Sort *ranks* that answer well by date; the others follow."""
    best = max((rank.score for rank in ranks), default=0.0)
    well = [rank for rank in ranks if rank.score >= WELL_SHARE * best]
    return [
        *sorted(well, key=lambda rank: (rank.created_at, rank.seq), reverse=is_newest_first),
        *[rank for rank in ranks if rank.score < WELL_SHARE * best],
    ]


def by_beginning(ranks: Sequence[MemoryRank]) -> list[MemoryRank]:
    """Put *ranks* with most query words first, these by date if they answer well."""
    most = max((rank.covered for rank in ranks), default=0.0)
    if not most:
        return [*ranks]
    least = COVERED_WHOLE * most
    having = [rank for rank in ranks if rank.covered >= least]
    return [*by_date(having, is_newest_first=False), *(rank for rank in ranks if rank.covered < least)]


def newest_first(ranks: Sequence[MemoryRank], odds: Odds) -> list[MemoryRank]:
    """Move each memory before the one that it likely replaces."""
    left = list(ranks[:ORDERED_MAX])
    ordered: list[MemoryRank] = []
    while left:
        passed: list[MemoryRank] = []
        best = left[0]
        while (newer := _replacing(best, left, odds)) is not None:
            passed.append(best)
            best = newer
        left.remove(best)
        ordered.append(best._replace(replaces=tuple(each.seq for each in passed)))
    return [*ordered, *ranks[ORDERED_MAX:]]


def _replacing(older: MemoryRank, others: Collection[MemoryRank], odds: Odds) -> MemoryRank | None:
    newer = [
        (known, each)
        for each in others
        if each.created_at > older.created_at
        and each.score >= odds.share * older.score
        and (known := odds.of_pairs.get((each.seq, older.seq))) is not None
        and _has_as_much(each, older, known)
        and known + odds.ratio_weight * (each.score / older.score - 1 if older.score else 0.0) >= odds.least
    ]
    return max(newer, key=lambda each: each[0])[1] if newer else None


def _has_as_much(newer: MemoryRank, older: MemoryRank, odds: float) -> bool:
    likely = odds >= ODDS_MIN_WITHOUT_WORDS and not older.has_all_words
    has_words = newer.words >= NO_WORDS or older.words < NO_WORDS or likely
    has_most = newer.covered >= older.covered - COVERED_GAP or odds >= ODDS_MIN_BEYOND_GAP
    return has_words and has_most and older.names <= newer.names
