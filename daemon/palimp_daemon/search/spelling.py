"""Find known words that an unknown word may stand for.

Four of five misspellings are one letter inserted, deleted, replaced or swapped (Damerau 1964), so words are compared by
optimal string alignment, likelier edits a little cheaper. Stems are compared; since an error in an ending misleads the
stemmer (`revison`), words one edit away are looked up, too. Short words must be nearer; an English word
(`search.english`) may only have two letters swapped.
"""

import re
import string
from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Final, NamedTuple

from palimp_daemon.search.cjk import UNSPACED_RUN

LETTERS_MIN: Final = 4
"""Letters of a word to correct; shorter ones neighbour everything."""

FOREIGN_LETTERS_MIN: Final = 6
"""LETTERS_MIN for non-English texts: their short words are one edit from an English word."""

LETTERS_MAX: Final = 24
"""Longer ones are names and keys."""

PART_LETTERS_MIN: Final = 3
"""Letters of each of two words written as one, except SHORT_PARTS."""

SHORT_PARTS: Final = frozenset({"by", "co", "de", "in", "on", "re", "to", "un", "up"})
"""Words often joined to others: *backup*, *login*, *oncall*, *reindex*."""

TWO_EDITS_LETTERS: Final = 8
"""Letters of a stem that two edits leave recognizable."""

EDITS_MAX: Final = 2
"""Edits between two such stems."""

NEIGHBOURS_MAX: Final = 3
"""Neighbours tried for one word, each a look-up in the store."""

NEAR_BEST: Final = 0.023
"""Weight below the best up to which a neighbour counts."""

FIRST_LETTER_COST: Final = 0.7
"""Extra cost if the first letter differs: people seldom mistype it."""

EDIT_COST: Final = 1.0
EASY_COST: Final = 0.7
"""Cost of swapped letters, a letter doubled or not, or one adjacent on the keyboard or similar in sound."""

WEIGHT_MAX: Final = 0.95
WEIGHT_MIN: Final = 0.809
"""Neighbours with less weight are none."""

SPACE_WEIGHT: Final = 0.9
"""For a missing or extra space: no other spelling fits."""

COST_SHARE: Final = 0.5
"""Weight lost per edit, divided by the word's letters."""

_WORD: Final = re.compile(r"[^\W\d_]+")
_VOWELS: Final = frozenset("aeiouy")
_ROWS: Final = ("qwertyuiop", "asdfghjkl", "zxcvbnm")


def _beside() -> frozenset[tuple[str, str]]:
    pairs = {pair for row in _ROWS for pair in pairwise(row)}
    for upper, lower in pairwise(_ROWS):
        pairs |= {*zip(upper, lower, strict=False), *zip(upper[1:], lower, strict=False)}
    alike = {("c", "k"), ("c", "s"), ("s", "z"), ("y", "z"), ("f", "v"), ("b", "p"), ("d", "t")}
    return frozenset(pair for one, other in pairs | alike for pair in ((one, other), (other, one)))


_BESIDE: Final = _beside()
_EASY: Final = {
    letter: sorted(
        {other for one, other in _BESIDE if one == letter} | (_VOWELS - {letter} if letter in _VOWELS else set())
    )
    for letter in string.ascii_lowercase
}
"""By letter, those that easily replace it."""


class Neighbour(NamedTuple):
    """A word, or words, that another may stand for."""

    word: str
    weight: float
    """Weight of its hits, relative to the word's own; below 1."""
    written: str = ""
    """A memory's spelling, if known."""


def is_tried(word: str, letters_min: int = LETTERS_MIN) -> bool:
    """Tell whether the lower-case *word* may have neighbours: letters only, of a spaced script."""
    return (
        letters_min <= len(word) <= LETTERS_MAX and _WORD.fullmatch(word) is not None and not UNSPACED_RUN.search(word)
    )


def one_edit_away(word: str) -> Iterator[str]:
    """Yield the results of one edit of *word*, with ASCII letters."""
    for at in range(len(word) + 1):
        before, behind = word[:at], word[at:]
        for letter in string.ascii_lowercase:
            yield before + letter + behind
            yield before + letter + behind[1:]
        yield before + behind[1:]
        yield before + behind[1:2] + behind[:1] + behind[2:]


def easy_edits(word: str) -> Iterator[str]:
    """Yield the results of the cheapest edits of *word* after its first letter, with ASCII letters."""
    for at in range(1, len(word)):
        before, letter, behind = word[:at], word[at], word[at + 1 :]
        yield before + behind[:1] + letter + behind[1:]
        yield word[:at] + word[at - 1] + word[at:]
        if letter == word[at - 1]:
            yield before + behind
        for other in _EASY.get(letter, ()):
            yield before + other + behind
    yield word + word[-1:]


def two_letters_swapped(word: str) -> list[str]:
    """Return *word* with each pair of adjacent letters swapped."""
    return [word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(len(word) - 1)]


def cost_between(asked: str, known: str, edits: int) -> float | None:
    """Return the cost of the cheapest edits between two words; None beyond *edits*."""
    if abs(len(asked) - len(known)) > edits or len({*asked} ^ {*known}) > 2 * edits:
        return None
    cost = _cost(asked, known, edits)
    return cost if cost is None or asked[:1] == known[:1] else cost + FIRST_LETTER_COST


def _cost(asked: str, known: str, edits: int, last: str = "") -> float | None:
    same = 0
    for one, other in zip(asked, known, strict=False):
        if one != other:
            break
        same += 1
    if same:
        last, asked, known = asked[same - 1], asked[same:], known[same:]
    if not (asked or known):
        return 0.0
    if not edits or abs(len(asked) - len(known)) > edits:
        return None
    costs = [
        cost + rest
        for cost, asked_rest, known_rest, before in _edits(asked, known, last)
        if (rest := _cost(asked_rest, known_rest, edits - 1, before)) is not None
    ]
    return min(costs, default=None)


def _edits(asked: str, known: str, last: str) -> Iterator[tuple[float, str, str, str]]:
    """Yield each possible first edit: cost, the two rests, and the letter before them."""
    one, other = asked[:1], known[:1]
    if one:
        yield EASY_COST if one in (last, asked[1:2]) else EDIT_COST, asked[1:], known, one
    if other:
        yield EASY_COST if other in (last, known[1:2]) else EDIT_COST, asked, known[1:], other
    if one and other:
        is_easy = (one, other) in _BESIDE or {one, other} <= _VOWELS
        yield EASY_COST if is_easy else EDIT_COST, asked[1:], known[1:], one
    if len(asked) > 1 and asked[:2] == known[1::-1]:
        yield EASY_COST, asked[2:], known[2:], asked[1]


def edits_of(one: int, other: int) -> int:
    """Return the number of edits allowed between words or stems of two lengths."""
    least = min(one, other)
    return 0 if least < LETTERS_MIN else EDITS_MAX if least >= TWO_EDITS_LETTERS else 1


def weight_between(asked: str, known: str) -> float:
    """Return the weight of a hit by *known* for *asked*; 0 for no neighbours."""
    is_short = len(asked) <= LETTERS_MIN and len(known) <= len(asked) and sorted(asked) != sorted(known)
    cost = None if is_short else cost_between(asked, known, edits_of(len(asked), len(known)))
    weight = 0.0 if cost is None else WEIGHT_MAX - COST_SHARE * cost / len(asked)
    return weight if weight >= WEIGHT_MIN else 0.0


def halves_of(word: str) -> list[tuple[str, str]]:
    """Return the pairs of words that *word* may be without its space."""
    halves = [(word[:at], word[at:]) for at in range(2, len(word) - 1)]
    return [pair for pair in halves if all(len(part) >= PART_LETTERS_MIN or part in SHORT_PARTS for part in pair)]


def pairs_of_one(words: Sequence[str], unknown: AbstractSet[str], stop_words: AbstractSet[str]) -> dict[str, str]:
    """Return adjacent *words* that may be one: joined, and as written.

    One is *unknown*, or a stop word (`check out`); not both are stop words.
    """
    pairs: dict[str, str] = {}
    for one, other in pairwise(words):
        both, joined = {one, other}, one + other
        is_likely = bool(both & (unknown | stop_words)) and not both <= stop_words
        if (
            is_likely
            and min(len(one), len(other)) > 1
            and is_tried(joined)
            and joined not in words
            and joined not in stop_words
        ):
            pairs[joined] = f"{one} {other}"
    return pairs
