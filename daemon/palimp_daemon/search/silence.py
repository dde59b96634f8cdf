"""Decide whether anything found answers the question.

A logistic regression of `Features`; most of the words (COVERED), or an identifier, version or number with some (NAMED),
always answer. The bound is high, since the best three below it are shown as possible answers, down to PERHAPS_MIN.
`benchmarks/silence.py` fits it; docs/adr/0035 has its table.
"""

from collections.abc import Sequence
from math import inf, log
from typing import Final, NamedTuple

from palimp_daemon.search.growth import FITTED_ON, tenfolds
from palimp_daemon.search.memory_ranking import COVERED, MemoryRank

ASKED_MIN: Final = 3
"""Least assumed significant words of a question: two rephrased words are one, too."""

NAMED: Final = 0.25
"""Share of the word weight that a memory with the query's name must have to answer a report."""

REPORT_WORDS: Final = 12
"""Significant words of a question; longer ones are reports, which name many things."""

NEAR_WORDS: Final = 0.25
"""Share of the words from which a memory perhaps answers."""

NEAR_MEANING: Final = 1.5
"""Weight of a meaning from which a memory perhaps answers: a cosine of a third."""

PERHAPS_MIN: Final = -2.0
"""Log odds from which the best perhaps answers; hardly any answerable question is below."""

PER_TENFOLD: Final = 0.6
"""Extra log odds that an answer needs per tenfold number of memories, with meaning: then 21 to 25 of 100 answerable
questions are in doubt, among 65 as among 3,000."""

PER_TENFOLD_LEXICAL: Final = 0.3
"""The same by words alone."""

COMPARED: Final = 4
"""Best hits; an answer must stand out from the last of them."""


class Weights(NamedTuple):
    """Weights of the features in the log odds of an answer, and the *bound*."""

    bound: float
    bias: float
    words: float
    meaning: float
    lead: float
    asked: float
    lacks_name: float


SEMANTIC_WEIGHTS: Final = Weights(1.5, -12.16, 4.82, 0.92, 0.49, 5.79, -2.68)
LEXICAL_WEIGHTS: Final = Weights(1.0, -12.81, 6.55, 0.0, 1.83, 6.72, -2.74)


class Features(NamedTuple):
    """Features of a result, in the order of `Weights`."""

    words: float
    """A memory's greatest share of the words."""
    meaning: float
    """Weight of the nearest meaning."""
    lead: float
    """The best score's lead over the last of COMPARED."""
    asked: float
    """Logarithm of the number of significant words, and one."""
    lacks_name: float
    """1 if the query has a proper name found nowhere."""


def features_of(ranks: Sequence[MemoryRank], asked_words: int, *, lacks_name: bool) -> Features:
    """Return the features of a result; *lacks_name*: none has the question's proper name."""
    scores = sorted((rank.score for rank in ranks), reverse=True)
    fourth = scores[COMPARED - 1] if len(scores) >= COMPARED else 0.0
    return Features(
        max((rank.words for rank in ranks), default=0.0),
        max((rank.meaning for rank in ranks), default=0.0),
        scores[0] - fourth if scores else 0.0,
        log(1 + max(ASKED_MIN, asked_words)),
        float(lacks_name),
    )


def is_certain(ranks: Sequence[MemoryRank], asked_words: int) -> bool:
    """Tell whether one of *ranks* answers whatever the odds.

    It has most of the words, or a name (and some of the words if these are many).
    """
    named = NAMED if asked_words > REPORT_WORDS else 0.0
    return any(rank.covered >= COVERED or (rank.names and rank.covered >= named) for rank in ranks)


def is_near(ranks: Sequence[MemoryRank], *, lacks_name: bool) -> bool:
    """Tell whether the best may answer against the odds; never if a name is missing."""
    best = ranks[:1] if not lacks_name else ()
    return any(rank.words >= NEAR_WORDS or rank.meaning >= NEAR_MEANING for rank in best)


def answers(
    ranks: Sequence[MemoryRank], asked_words: int, *, lacks_name: bool, is_semantic: bool, memories: int = FITTED_ON
) -> bool:
    """Tell whether *ranks*, all compared among *memories*, answer; see `features_of`.

    If the one with most words has no vector yet, words alone may be enough.
    """
    bound = (PER_TENFOLD if is_semantic else PER_TENFOLD_LEXICAL) * tenfolds(memories)
    return is_certain(ranks, asked_words) or _margin(ranks, asked_words, lacks_name, is_semantic) >= bound


def may_answer(ranks: Sequence[MemoryRank], asked_words: int, *, lacks_name: bool, is_semantic: bool) -> bool:
    """Tell whether *ranks* possibly answer, though below the bound of `answers`."""
    bound = SEMANTIC_WEIGHTS.bound if is_semantic else LEXICAL_WEIGHTS.bound
    margin = _margin(ranks, asked_words, lacks_name, is_semantic)
    return is_near(ranks, lacks_name=lacks_name) or margin >= PERHAPS_MIN - bound


def _margin(ranks: Sequence[MemoryRank], asked_words: int, lacks_name: bool, is_semantic: bool) -> float:  # noqa: FBT001
    if not ranks:
        return -inf
    by_meaning = _above(ranks, asked_words, SEMANTIC_WEIGHTS, lacks_name=lacks_name) if is_semantic else -inf
    if is_semantic and not max(ranks, key=lambda rank: rank.words).is_expected:
        return by_meaning
    by_words = [rank._replace(score=rank.words, meaning=0.0) for rank in ranks]
    return max(by_meaning, _above(by_words, asked_words, LEXICAL_WEIGHTS, lacks_name=lacks_name))


def _above(ranks: Sequence[MemoryRank], asked_words: int, weights: Weights, *, lacks_name: bool) -> float:
    bound, bias, *factors = weights
    features = features_of(ranks, asked_words, lacks_name=lacks_name)
    return bias + sum(map(float.__mul__, factors, features)) - bound
