"""Estimate whether a memory replaces an older one: the one model that every reader asks.

Theory
------
Replacement is seldom said. "Node 22 in `.nvmrc`" replaces "Node 20 everywhere" without a word about it, and words such
as "now", "again" or "instead of" stand as often in memories that replace nothing. Five features carry over to authors
who were left out of the fit: the cosine of the two meanings; the part of the shorter statement's words that the other
has too, weighted by the look of each word; the days between them; the same kind; and that they were saved in one
session, where memories that belong together are told apart (one page size for inspections, another for sites).

Neither feature depends on the rest of the store, so the odds of two memories are the same in any store, whatever was
saved before or after. `benchmarks/replacement.py` fits the weights of the logistic regression and prints its average
precision for each author left out, with each feature and without it. Readers compare the odds with bounds of their
own: an answer's order asks for less than a session's start, which leaves the older memory out.

Where it fails: two values of one subject for two places ("carts 7 days", "sessions 7 days") look like replacement
when the places are short words; nothing is hidden on these odds alone.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping
from functools import lru_cache
from itertools import combinations
from math import log1p
from typing import Final, NamedTuple

LONG_WORD: Final = 8
"""Letters of a stem from which it names a subject rather than anything."""

LONG_WORD_WEIGHT: Final = 1.5
"""Weight of a long word, or of one with a digit; others have 1."""

WORDS_WEIGHED: Final = 20_000
"""Words with a cached weight, some 2 MB: an answer compares 45 pairs of memories."""

SAID_MIN: Final = 6.0
"""Least weight of a statement's words, where the median is 15: two of three words in common are never nearly all. From
4 to 14 all do equally well on left-out authors."""

DAY_MS: Final = 86_400_000

COSINE_MAX: Final = 0.9
"""Cosine of two memories that are more than a repetition of each other: what a pair is weighed with to tell whether its
cosine need be known."""

COMMON_MAX: Final = 40
"""Memories with a word from which it is no reason to compare two of them: a bound on the pairs of many memories."""

NEVER: Final = -99.0
"""Log odds of a pair without any."""


class Statement(NamedTuple):
    """A memory as it is compared with another."""

    words: frozenset[str]
    """The stems of its text without stop words."""
    kind: str
    session: int | None
    created_at: int
    """Unix milliseconds."""


class Weights(NamedTuple):
    """Factors of the log odds, in the order of `Features`, behind the bias."""

    bias: float
    cosine: float
    share: float
    days: float
    same_kind: float
    same_session: float


class Features(NamedTuple):
    """The features of a pair of memories."""

    cosine: float
    share: float
    """Of the weight of the shorter statement's words, the part that the other has, 0 to 1."""
    days: float
    """Natural logarithm of the days between them, and one."""
    same_kind: float
    same_session: float


SEMANTIC_WEIGHTS: Final = Weights(-12.38, 8.82, 9.43, 0.85, 1.03, -6.02)
"""Fitted on the twelve projects of benchmarks/truth by `benchmarks/replacement.py`."""

LEXICAL_WEIGHTS: Final = Weights(-10.73, 0.0, 16.78, 0.86, 1.24, -6.84)
"""The same without cosines."""

START_BOUND: Final = -2.0
"""Log odds from which a session's start leaves the older memory out (`replaced_in`)."""

START_DAYS_MIN: Final = 1
"""Days between two memories from which a start leaves the older one out: two short notes on one file, saved in one
piece of work, share most of their words, and both hold."""


def features_of(newer: Statement, older: Statement, cosine: float) -> Features:
    """Return the features of *newer* and *older*; *cosine* is that of their meanings, 0 where it is unknown."""
    return Features(
        cosine,
        share_of(newer.words, older.words),
        log1p(max(0, newer.created_at - older.created_at) / DAY_MS),
        1.0 if newer.kind == older.kind else 0.0,
        1.0 if newer.session is not None and newer.session == older.session else 0.0,
    )


def share_of(one: frozenset[str], other: frozenset[str]) -> float:
    """Return the part of the weight of the shorter of two sets of words that both have, 0 to 1."""
    shared = one & other
    return weight_of(shared) / max(SAID_MIN, min(weight_of(one), weight_of(other))) if shared else 0.0


def log_odds(newer: Statement, older: Statement, cosine: float | None) -> float:
    """Return the log odds that *newer* replaces *older*; without a *cosine* by words alone."""
    weights = LEXICAL_WEIGHTS if cosine is None else SEMANTIC_WEIGHTS
    features = features_of(newer, older, cosine or 0.0)
    # Written out: each search weighs 45 pairs.
    return (
        weights.bias
        + weights.cosine * features.cosine
        + weights.share * features.share
        + weights.days * features.days
        + weights.same_kind * features.same_kind
        + weights.same_session * features.same_session
    )


def odds_among(
    statements: Mapping[int, Statement], cosines: Mapping[tuple[int, int], float]
) -> dict[tuple[int, int], float]:
    """Return the log odds of each pair of *statements*, by the numbers of the newer and the older one.

    *cosines* are those of pairs, either way round; a pair without one is weighed by its words.
    """
    return {
        (newer, older): log_odds(one, other, cosines.get((newer, older)))
        for newer, one in statements.items()
        for older, other in statements.items()
        if other.created_at < one.created_at
    }


def worth_comparing(statements: Mapping[int, Statement], least: float) -> list[tuple[int, int]]:
    """Return the pairs of many *statements* whose log odds may reach *least*, the newer number first.

    They share a word that at most COMMON_MAX have, and would reach *least* with a cosine of COSINE_MAX.
    """
    having: defaultdict[str, list[int]] = defaultdict(list)
    for seq in sorted(statements, key=lambda seq: (statements[seq].created_at, seq)):
        for word in statements[seq].words:
            having[word].append(seq)
    sharing = {
        (newer, older)
        for seqs in having.values()
        if 1 < len(seqs) <= COMMON_MAX
        for older, newer in combinations(seqs, 2)
        if statements[older].created_at < statements[newer].created_at
    }
    return [
        (newer, older)
        for newer, older in sharing
        if log_odds(statements[newer], statements[older], COSINE_MAX) >= least
        or log_odds(statements[newer], statements[older], None) >= least
    ]


def replaced_in(odds: Mapping[tuple[int, int], float], least: float) -> set[int]:
    """Return the older memories of pairs with *odds* of *least* or more, of each newer one the likeliest alone."""
    likeliest: dict[int, tuple[float, int]] = {}
    for (newer, older), each in odds.items():
        if each >= least:
            likeliest[newer] = max((each, older), likeliest.get(newer, (NEVER, 0)))
    return {older for _, older in likeliest.values()}


def weight_of(words: Collection[str]) -> float:
    """Return the weight of *words* together."""
    return sum(map(_word_weight, words))


@lru_cache(WORDS_WEIGHED)
def _word_weight(word: str) -> float:
    return LONG_WORD_WEIGHT if len(word) >= LONG_WORD or any(map(str.isdigit, word)) else 1.0
