"""Estimate the odds that a memory replaces an older one, for all readers.

Replacement is seldom stated ("Node 22 in `.nvmrc`"), and words such as "now" are as frequent without it. The `Features`
generalize to authors left out of the fit, and do not depend on the rest of the store. `benchmarks/replacement.py` fits
the weights. Readers have bounds of their own, and hide nothing on these odds alone.

It fails on values for two places with short names ("carts 7 days", "sessions 7 days"): see `judgement.siblings`.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import lru_cache
from itertools import combinations
from math import log1p
from typing import Final, NamedTuple

LONG_WORD: Final = 8
"""Letters of a stem that names a subject."""

LONG_WORD_WEIGHT: Final = 1.5
"""Weight of a long word, or of one with a digit; others have 1."""

WORDS_WEIGHED: Final = 20_000
"""Words with a cached weight, some 2 MB: an answer compares 45 pairs."""

SAID_MIN: Final = 6.0
"""Least weight of a statement's words (the median is 15), so that two of three are never nearly all. From 4 to 14 do
equally well on left-out authors."""

DAY_MS: Final = 86_400_000

COSINE_MAX: Final = 0.9
"""Highest assumed cosine of two memories that do not repeat each other, to see whether a pair's is needed."""

COMMON_MAX: Final = 40
"""Memories with a word from which it is no reason to compare them: a bound on pairs."""


class Statement(NamedTuple):
    """A memory prepared for comparison."""

    words: frozenset[str]
    """Its stems without stop words."""
    kind: str
    session: int | None
    created_at: int
    """Unix milliseconds."""


class Weights(NamedTuple):
    """Bias and factors of the log odds, in the order of `Features`."""

    bias: float
    cosine: float
    share: float
    days: float
    same_kind: float
    same_session: float


class Features(NamedTuple):
    """Features of a pair of memories."""

    cosine: float
    share: float
    """Share of the shorter statement's word weight that the other has, 0 to 1."""
    days: float
    """Natural logarithm of one plus the days between them."""
    same_kind: float
    same_session: float


SEMANTIC_WEIGHTS: Final = Weights(-12.38, 8.82, 9.43, 0.85, 1.03, -6.02)
"""Fitted on the twelve projects of benchmarks/truth by `benchmarks/replacement.py`."""

LEXICAL_WEIGHTS: Final = Weights(-10.73, 0.0, 16.78, 0.86, 1.24, -6.84)
"""The same without cosines."""

START_BOUND: Final = -2.0
"""Log odds from which a session's start omits the older memory (`replaced_at_start`)."""

START_DAYS_MIN: Final = 1
"""Days between two memories from which a start omits the older one: short notes on one file from the same work share
most words, and both hold."""


def features_of(newer: Statement, older: Statement, cosine: float) -> Features:
    """Return the features of a pair; *cosine* is 0 if unknown."""
    return Features(
        cosine,
        share_of(newer.words, older.words),
        _days_between(newer, older),
        1.0 if newer.kind == older.kind else 0.0,
        1.0 if _is_of_same_session(newer, older) else 0.0,
    )


def _days_between(newer: Statement, older: Statement) -> float:
    return log1p(max(0, newer.created_at - older.created_at) / DAY_MS)


def _is_of_same_session(newer: Statement, older: Statement) -> bool:
    return newer.session is not None and newer.session == older.session


def share_of(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the shared part, 0 to 1, of the smaller set's weight."""
    return weight_of(one & other) / min(_least(one), _least(other))


def _least(words: frozenset[str]) -> float:
    return max(SAID_MIN, weight_of(words))


def log_odds(newer: Statement, older: Statement, cosine: float | None) -> float:
    """Return the log odds that *newer* replaces *older*; without a *cosine* by words alone."""
    return _log_odds(newer, older, share_of(newer.words, older.words), cosine)


def _log_odds(newer: Statement, older: Statement, share: float, cosine: float | None) -> float:
    if cosine is None:
        return _without_cosine(LEXICAL_WEIGHTS, newer, older, share)
    return _without_cosine(SEMANTIC_WEIGHTS, newer, older, share) + SEMANTIC_WEIGHTS.cosine * cosine


def _without_cosine(weights: Weights, newer: Statement, older: Statement, share: float) -> float:
    # Without `Features`: each search weighs 45 pairs, a session's start thousands.
    odds = weights.bias + weights.share * share + weights.days * _days_between(newer, older)
    if newer.kind == older.kind:
        odds += weights.same_kind
    return odds + weights.same_session if _is_of_same_session(newer, older) else odds


def odds_among(
    statements: Mapping[int, Statement], cosines: Mapping[tuple[int, int], float]
) -> dict[tuple[int, int], float]:
    """Return the log odds of each pair by (newer, older) number.

    *cosines* are in either order; pairs without one are judged by words.
    """
    least = {number: _least(each.words) for number, each in statements.items()}
    return {
        (newer, older): _log_odds(
            one,
            other,
            weight_of(one.words & other.words) / min(least[newer], least[older]),
            cosines.get((newer, older)),
        )
        for newer, one in statements.items()
        for older, other in statements.items()
        if other.created_at < one.created_at
    }


class PairOdds(NamedTuple):
    """Log odds of a pair before its cosine is known."""

    lexical: float
    semantic: float
    """Without the cosine's part."""

    def with_cosine(self, cosine: float | None) -> float:
        """Return the log odds with *cosine*; by words alone without one."""
        return self.lexical if cosine is None else self.semantic + SEMANTIC_WEIGHTS.cosine * cosine


def comparable_at_start(statements: Mapping[int, Statement]) -> dict[tuple[int, int], PairOdds]:
    """Return the pairs (newer, older) of *statements* that a session's start compares.

    They are START_DAYS_MIN apart, share a word of at most COMMON_MAX, and reach START_BOUND by words alone, or with a
    cosine of COSINE_MAX.
    """
    least = {number: _least(each.words) for number, each in statements.items()}
    found: dict[tuple[int, int], PairOdds] = {}
    for (newer, older), weight in _shared_weights(statements).items():
        one, other = statements[newer], statements[older]
        if one.created_at - other.created_at < START_DAYS_MIN * DAY_MS:
            continue
        share = weight / min(least[newer], least[older])
        odds = PairOdds(
            *(_without_cosine(weights, one, other, share) for weights in (LEXICAL_WEIGHTS, SEMANTIC_WEIGHTS))
        )
        if max(odds.lexical, odds.with_cosine(COSINE_MAX)) >= START_BOUND:
            found[newer, older] = odds
    return found


def _shared_weights(statements: Mapping[int, Statement]) -> dict[tuple[int, int], float]:
    having: defaultdict[str, list[int]] = defaultdict(list)
    for seq in sorted(statements, key=lambda seq: (statements[seq].created_at, seq)):
        for word in statements[seq].words:
            having[word].append(seq)
    shared: defaultdict[tuple[int, int], float] = defaultdict(float)
    for word, seqs in having.items():
        if 1 < len(seqs) <= COMMON_MAX:
            weight = _word_weight(word)
            for older, newer in combinations(seqs, 2):
                shared[newer, older] += weight
    return shared


def replaced_at_start(
    pairs: Mapping[tuple[int, int], PairOdds],
    cosines: Mapping[tuple[int, int], float],
    returning: Collection[int] = (),
) -> dict[int, int]:
    """Return {older: newer} of `comparable_at_start`'s *pairs* that reach START_BOUND with *cosines*.

    A session's start leaves out the older. Each newer one replaces its likeliest; a *returning* one those since, too.
    """
    likely: defaultdict[int, dict[int, float]] = defaultdict(dict)
    for (newer, older), known in pairs.items():
        odds = known.with_cosine(cosines.get((newer, older)))
        if odds >= START_BOUND:
            likely[newer][older] = odds
    found: dict[int, int] = {}
    for newer, odds_of in sorted(likely.items()):
        likeliest = max(odds_of, key=lambda older: (odds_of[older], older))
        between = [each for each in odds_of if likeliest in likely.get(each, ())] if newer in returning else []
        found |= dict.fromkeys([likeliest, *between], newer)
    return found


def weight_of(words: Collection[str]) -> float:
    """Return the total weight of *words*."""
    return sum(map(_word_weight, words))


@lru_cache(WORDS_WEIGHED)
def _word_weight(word: str) -> float:
    return LONG_WORD_WEIGHT if len(word) >= LONG_WORD or any(map(str.isdigit, word)) else 1.0
