"""Sketches: a few numbers by which near-duplicates find one another.

Theory
------
A bottom-k sketch (Cohen and Kaplan, 2007): hash every pair of neighbouring words, stop words left out,
and keep the k smallest hashes. Two texts that share most of their pairs share most of these; two that
share some are compared word by word. Pairs, because a frequent word with a small hash would stand in
every sketch. Looking up a text costs k index seeks, whatever the number of memories.

The hash is CRC-32 scattered by a multiplication; it needs to be spread, not secret.
"""

import re
import zlib
from itertools import pairwise
from typing import Final

from palimp_daemon.search.terms import STOP_WORDS

SKETCH_SIZE: Final = 4
"""Hashes kept: with 8 in 10 pairs shared, two texts share at least one of four in 99 of 100 cases."""

SIMILARITY_MIN: Final = 0.75
"""Jaccard similarity of the words from which two texts say nearly the same."""

_WORD: Final = re.compile(r"\w+")
_SCATTER: Final = 0x9E3779B1
"""2³² divided by the golden ratio, an odd number (Knuth, TAOCP 6.4)."""


def words_of(text: str) -> list[str]:
    """Return the words of *text* in order, lower-cased, without stop words if it has others."""
    words = _WORD.findall(text.lower())
    return [word for word in words if word not in STOP_WORDS] or words


def sketch(words: list[str]) -> list[int]:
    """Return the SKETCH_SIZE smallest hashes of the pairs in *words*; fewer when there are fewer."""
    pairs = {f"{left} {right}" for left, right in pairwise(words)} or set(words)
    return sorted({zlib.crc32(pair.encode()) * _SCATTER & 0xFFFFFFFF for pair in pairs})[:SKETCH_SIZE]


def similarity(one: list[str], other: list[str]) -> float:
    """Return the Jaccard similarity of two lists of words: 0 nothing shared, 1 the same words."""
    left, right = set(one), set(other)
    return len(left & right) / len(left | right) if left or right else 1.0
