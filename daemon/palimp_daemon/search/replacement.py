"""Whether a memory replaces an older one: how likely it is that what the older one says no longer holds.

Theory
------
What is replaced is seldom said to be. "Node 22 in `.nvmrc`" replaces "Node 20 everywhere" without a word about it, and
words such as "now", "again" or "instead of" stand as often in what replaces nothing. What tells is that both speak of
the same subject: how near their meanings are and how many telling words they share; that the newer one is a decision;
that both are of one kind; and that they were not saved in one session, where what belongs together is told apart
(one page size for inspections, another for sites).

These are weighed by a logistic regression on pairs of memories that are known to replace one another or not.
`benchmarks/replacement.py` fits it, leaves out one project at a time to see how it does on another, and prints what
each feature is worth; docs/adr/0019 has its table. Without vectors the words alone are weighed, by other weights. The
odds are those of pairs that share a word or lie near each other in one project of some sixty memories.
"""

from collections.abc import Collection
from functools import lru_cache
from typing import Final, NamedTuple

from palimp_daemon.text.memory_kinds import SETTLING_KINDS

LONG_WORD: Final = 8
"""Letters from which a stem is a word of some subject rather than of everything."""

LONG_WORD_WEIGHT: Final = 1.5
"""What such a word, or one with a digit, counts beside another."""

WORDS_WEIGHED: Final = 20_000
"""Words whose weight is remembered, some 2 MB: a question compares 45 pairs of memories."""

SHARED_MAX: Final = 8.0
"""Weight of shared words from which more of them say nothing more: long texts share many."""


class Statement(NamedTuple):
    """What is known of a memory when it is held beside another."""

    words: frozenset[str]
    """The stems of its text without stop words."""
    kind: str
    session: int | None
    created_at: int


class Weights(NamedTuple):
    """What each feature adds to the odds, as a logarithm."""

    bias: float
    cosine: float
    shared: float
    same_session: float
    newer_decides: float
    same_kind: float


SEMANTIC_WEIGHTS: Final = Weights(-9.13, 10.47, 0.46, -6.78, 0.81, 1.06)
LEXICAL_WEIGHTS: Final = Weights(-7.5, 0.0, 1.36, -6.0, 1.45, 1.15)


class Features(NamedTuple):
    """What is compared of two memories, in the order of `Weights` without its bias."""

    cosine: float
    shared: float
    same_session: float
    newer_decides: float
    same_kind: float


def features_of(newer: Statement, older: Statement, cosine: float) -> Features:
    """Return what tells whether *newer* replaces *older*, whose meanings have this *cosine*; 0 if it is not known."""
    return Features(
        cosine,
        min(SHARED_MAX, sum(map(_word_weight, newer.words & older.words))),
        1.0 if newer.session is not None and newer.session == older.session else 0.0,
        1.0 if newer.kind in SETTLING_KINDS else 0.0,
        1.0 if newer.kind == older.kind else 0.0,
    )


def log_odds(newer: Statement, older: Statement, cosine: float | None) -> float:
    """Return the logarithm of the odds that *newer* replaces *older*; *cosine* is None where no meaning is known."""
    weights = LEXICAL_WEIGHTS if cosine is None else SEMANTIC_WEIGHTS
    features = features_of(newer, older, cosine or 0.0)
    # Written out, since each search weighs 45 pairs.
    return (
        weights.bias
        + weights.cosine * features.cosine
        + weights.shared * features.shared
        + weights.same_session * features.same_session
        + weights.newer_decides * features.newer_decides
        + weights.same_kind * features.same_kind
    )


def weight_of(words: Collection[str]) -> float:
    """Return what *words* say together."""
    return sum(map(_word_weight, words))


@lru_cache(WORDS_WEIGHED)
def _word_weight(word: str) -> float:
    return LONG_WORD_WEIGHT if len(word) >= LONG_WORD or any(map(str.isdigit, word)) else 1.0
