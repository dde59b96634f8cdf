"""Choose the memories that a prompt needs: few or none, since unwanted ones disturb.

Relevance, independent of the store's size, is a weighted sum of the shared words' weights (`search.rarity`, less for
everyday words), the share of the memory's words in the prompt, and the cosine. The best must reach a bound; nearly as
relevant ones come with it, unless likely replaced by another. `benchmarks/calibrate_prompts.py` fits the weights;
docs/adr/0035 has its tables.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from palimp_daemon.search.growth import FITTED_ON, tenfolds

COMPARED: Final = 8
"""Memories with the most bearing on a prompt, checked for replacements among them."""

GIVEN_MAX: Final = 3

EVERYDAY_PART: Final = 0.4
"""Weight of developers' everyday words, relative to equally rare ones."""

SAID_MAX: Final = 4.0
"""Greatest weight of shared words: long texts about anything share more."""

PER_TENFOLD: Final = 0.1
"""Extra relevance required per tenfold number of memories: then as many prompts get one among 65 as among 3,000."""

SUBJECT_WORDS_MIN: Final = 8
"""Least assumed words of a memory, so that one shared word is never all of it."""


class Weights(NamedTuple):
    """Weights of the parts, and the bound on their sum."""

    meaning: float
    """Of the cosine; that of shared words is 1."""
    subject: float
    """Of the share of the memory's words that the prompt has."""
    bound: float
    reading: float
    """Added to the bound for a prompt that only reads."""
    foreign: float
    """Added to the bound for a non-English prompt: its model puts merely similar sentences close by."""
    near_best: float
    """Distance from the best relevance up to which a memory is given."""
    odds: float
    """Log odds from which a newer memory counts as a replacement."""


SEMANTIC_WEIGHTS: Final = Weights(
    meaning=7.0, subject=2.0, bound=4.2, reading=2.1, foreign=1.0, near_best=1.5, odds=-2.0
)
LEXICAL_WEIGHTS: Final = Weights(
    meaning=0.0, subject=3.0, bound=1.5, reading=1.1, foreign=0.0, near_best=0.8, odds=-4.0
)


class Prompt(NamedTuple):
    """Words and features of a prompt."""

    words: Mapping[str, float]
    """Significant stems with their weight: at most 1."""
    stems: frozenset[str]
    """Its significant words (`telling_words.telling_words`)."""
    reading: float
    """How far it only asks to read (`text.reading_prompts`)."""
    is_foreign: bool


class PromptCandidate(NamedTuple):
    """A memory found for a prompt."""

    seq: int
    stems: Collection[str]
    """All stems that find its words."""
    words: frozenset[str]
    """Its significant words."""
    cosine: float
    """0: not known."""


class Bearing(NamedTuple):
    """The relevance of a memory to a prompt, with its parts."""

    seq: int
    score: float
    said: float
    subject: float
    cosine: float


def bearing(prompt: Prompt, found: PromptCandidate, weights: Weights, everyday: Collection[str]) -> Bearing:
    """Return the relevance of *found* to *prompt*; *everyday*: stems used of everything."""
    said = min(SAID_MAX, sum(weight for stem, weight in prompt.words.items() if stem in found.stems))
    shared = _count(found.words & prompt.stems, everyday)
    subject = shared / max(SUBJECT_WORDS_MIN, _count(found.words, everyday))
    score = weights.meaning * found.cosine + said + weights.subject * subject
    return Bearing(found.seq, score, said, subject, found.cosine)


def _count(words: frozenset[str], everyday: Collection[str]) -> float:
    return sum(EVERYDAY_PART if word in everyday else 1.0 for word in words)


def bound_of(prompt: Prompt, weights: Weights, memories: int = FITTED_ON) -> float:
    """Return the relevance that the best of *memories* must reach."""
    bound = weights.bound + weights.reading * prompt.reading + weights.foreign * prompt.is_foreign
    return bound + PER_TENFOLD * tenfolds(memories)


def not_replaced(bearings: Sequence[Bearing], odds: Mapping[tuple[int, int], float], least: float) -> list[Bearing]:
    """Drop those that another likely replaced, by *odds* of (newer, older)."""
    seqs = [each.seq for each in bearings]
    return [each for each in bearings if not any(odds.get((newer, each.seq), -99.0) >= least for newer in seqs)]


def needed_bearings(bearings: Sequence[Bearing], bound: float, weights: Weights) -> list[Bearing]:
    """Return the *bearings* to give, best first: none if the best is below *bound*."""
    if not bearings or bearings[0].score < bound:
        return []
    return [each for each in bearings[:GIVEN_MAX] if each.score >= bearings[0].score - weights.near_best]
