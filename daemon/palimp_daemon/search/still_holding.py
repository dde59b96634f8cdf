"""Whether each of many memories still holds: how likely another of them, a newer one, has taken its place.

Theory
------
`search.replacement` judges two memories that answer one question: what they are about is known. Here nothing was asked,
and most pairs are about different things. That both are about the same is told by the words with which both begin
("Retention of raw files: 30 days", "Retention of raw files goes up to 90 days"), and by which part of the shorter one's
words both have, weighed by how rare these are among all that are compared; and what was replaced had mostly stood for
some time.

Meaning is not compared: it told no more than these do, and would have to be read of all that a session is told. Words
that say that something holds no more ("instead of") told nothing beside these, either: they say it of anything.

`benchmarks/calibrate_start.py` fits the weights of a logistic regression, and prints what each feature is worth where a
project was not seen; docs/adr/0027 has its table. What is likely replaced is left out where nobody asked for it. It is
found by a search all the same: nothing is hidden on a likelihood.
"""

from collections import Counter, defaultdict
from collections.abc import Mapping
from itertools import combinations
from math import log
from typing import Final, NamedTuple

from palimp_daemon.search.rarity import rarity

OPENING_WORDS: Final = 8
"""Words of a text that are its beginning, in which the subject mostly stands."""

OPENING_CHARACTERS: Final = 64
"""Characters of a text that are its beginning: where words are not separated, and where they are long paths."""

OPENING_MAX: Final = 2
"""Words that two beginnings share from which more say nothing more."""

SAID_MIN: Final = 4.0
"""What a memory is taken to say at least, in words that no other has: two words in common are not all of it."""

COMMON_MAX: Final = 40
"""Memories that have a word from which it is no reason to compare two of them: a bound on what a start costs."""

DAY_MS: Final = 86_400_000


class Outline(NamedTuple):
    """What is compared of a memory where nothing was asked, so that its beginning has to tell what it is about."""

    words: frozenset[str]
    """Its telling words (`telling_words.telling_words`)."""
    opening: frozenset[str]
    """Those of its beginning."""
    created_at: int
    """Unix milliseconds."""


class Weights(NamedTuple):
    """What each feature adds to the odds that the newer memory replaces the older one, as a logarithm."""

    bias: float
    opening: float
    share: float
    gap: float


class Features(NamedTuple):
    """What is compared of two memories, in the order of `Weights` without its bias."""

    opening: float
    """Words that both beginnings have, OPENING_MAX at most."""
    share: float
    """Of what the words of the one say that says less, the part that the other says, too."""
    gap: float
    """The logarithm of the days between them, and one."""


WEIGHTS: Final = Weights(-11.4, 0.93, 11.9, 1.2)

ODDS_MIN: Final = -1.5
"""Log odds from which a newer memory is taken to have replaced an older one: 94 of 100 that hold are still told."""


def features_of(outlines: Mapping[int, Outline], share_min: float = 0.0) -> dict[tuple[int, int], Features]:
    """Return what tells whether one of *outlines* replaces an older one, for pairs that share a word.

    The newer one's number stands first. Pairs that share a smaller part than *share_min* are left out.
    """
    counts = Counter(word for each in outlines.values() for word in each.words)
    of_count = {count: rarity(count, len(outlines)) for count in {*counts.values()}}
    weights = {word: of_count[count] for word, count in counts.items()}
    said = {seq: sum(weights[word] for word in each.words) for seq, each in outlines.items()}
    of_pairs: dict[tuple[int, int], Features] = {}
    for pair, weight in _shared(outlines, weights).items():
        share = weight / max(SAID_MIN, min(said[pair[0]], said[pair[1]]))
        if share < share_min:
            continue
        newer, older = sorted(pair, key=lambda seq: (outlines[seq].created_at, seq), reverse=True)
        one, other = outlines[newer], outlines[older]
        if one.created_at == other.created_at:
            continue
        of_pairs[newer, older] = Features(
            float(min(OPENING_MAX, len(one.opening & other.opening))),
            share,
            _gap(other.created_at, one.created_at),
        )
    return of_pairs


def _shared(outlines: Mapping[int, Outline], weights: Mapping[str, float]) -> dict[tuple[int, int], float]:
    """Return what the words say that two of *outlines* share, for each two that share one."""
    having: dict[str, list[int]] = defaultdict(list)
    for seq, each in outlines.items():
        for word in each.words:
            having[word].append(seq)
    shared: dict[tuple[int, int], float] = defaultdict(float)
    for word, seqs in having.items():
        if 1 < len(seqs) <= COMMON_MAX:
            for pair in combinations(seqs, 2):
                shared[pair] += weights[word]
    return shared


def log_odds(features: Features, weights: Weights = WEIGHTS) -> float:
    """Return the logarithm of the odds that one memory replaces another, of which *features* are compared."""
    bias, *factors = weights
    return bias + sum(map(float.__mul__, factors, features))


def likely_replaced(outlines: Mapping[int, Outline]) -> set[int]:
    """Return the numbers of those of *outlines* that a newer one likely replaced."""
    if not outlines:
        return set()
    times = [each.created_at for each in outlines.values()]
    # What a pair must share if all else speaks for it: most share a word or two of many.
    for_it = log_odds(Features(OPENING_MAX, 0.0, _gap(min(times), max(times))))
    found = features_of(outlines, (ODDS_MIN - for_it) / WEIGHTS.share)
    return {older for (_, older), each in found.items() if log_odds(each) >= ODDS_MIN}


def _gap(older_ms: int, newer_ms: int) -> float:
    return log(1 + (newer_ms - older_ms) / DAY_MS)


def opening_of(text: str) -> str:
    """Return the beginning of *text*."""
    return " ".join(text[: 4 * OPENING_CHARACTERS].split()[:OPENING_WORDS])[:OPENING_CHARACTERS]
