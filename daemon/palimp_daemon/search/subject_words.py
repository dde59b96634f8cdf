"""Choose the subject words of a text, and keys to find texts on the same subject.

They are chosen by form alone, whatever else is stored. Keys are CRC-32s above those of pairs of words
(`search.minhash`), in the same table.
"""

import re
import unicodedata
import zlib
from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from palimp_daemon.search.cjk import UNSPACED_RUN, pieces_of
from palimp_daemon.search.folding import apart_by_script
from palimp_daemon.search.terms import STOP_WORDS

SUBJECT_WORDS: Final = 6
"""Subject words of one text; texts on one subject share some. Each costs a save a row and a look-up."""

CHARACTERS_MAX: Final = 1_000
"""Characters read of a text: its beginning tells the subject."""

KEY_MIN: Final = 1 << 40
"""Least key of a word: above the hashes of pairs, below the keys of whole texts."""

KEY_MAX: Final = KEY_MIN + (1 << 32)
"""Above all keys of words."""

ROOT_MIN: Final = 4
"""Least letters left without an ending."""

ROOT_LETTERS: Final = 5
"""Letters kept of a word in another alphabet: its forms mostly share these."""

_WORD: Final = re.compile(r"[^\W_]{2,}")
_ASCII_WORD: Final = re.compile(r"[A-Za-z0-9]{2,}")
"""The same of most texts, four times as fast."""
_ENDINGS: Final = ("ations", "ation", "ings", "ing", "ies", "ied", "ed", "es", "s", "e", "y")
_DIGIT_WEIGHT, _CAPITALS_WEIGHT, _CAPITAL_WEIGHT = 4, 4, 2
"""Letters added for digits, inner capitals, and an initial capital."""


def subject_words(content: str) -> list[str]:
    """Return the roots of the subject words of a text, most telling first."""
    text = apart_by_script(content[:CHARACTERS_MAX])
    weights: dict[str, int] = {}
    for word in {*(_ASCII_WORD if text.isascii() else _WORD).findall(text)}:
        lowered = word.lower()
        if lowered in STOP_WORDS or word.isdecimal():
            continue
        root = _root(lowered)
        weights[root] = max(weights.get(root, 0), _weight(word))
    if not text.isascii():
        pieces = [piece.text for piece in pieces_of(text)]
        if pieces:  # most words have no character of one, which is seen sooner
            weights = {
                word: weight for word, weight in weights.items() if not UNSPACED_RUN.search(word) or not pieces_of(word)
            }
        weights |= dict.fromkeys(pieces, ROOT_LETTERS)
    return sorted(weights, key=lambda word: (-weights[word], word))[:SUBJECT_WORDS]


def roots_of(text: str) -> frozenset[str]:
    """Return the roots of the words of *text*; pairs of characters for scripts without spaces."""
    if text.isascii():
        return frozenset(map(_root, _ASCII_WORD.findall(text.lower()))) - STOP_WORDS
    pieces = [piece.text for piece in pieces_of(text)] if UNSPACED_RUN.search(text) else []
    return frozenset(map(_root, _WORD.findall(apart_by_script(text).lower()))).union(pieces) - STOP_WORDS


def subject_keys(words: Iterable[str]) -> list[int]:
    """Return the keys of *words*."""
    return [KEY_MIN + zlib.crc32(word.encode("utf-8", "replace")) for word in words]


def _weight(word: str) -> int:
    if word.isalpha() and word.islower():  # most are
        return len(word)
    gained = _DIGIT_WEIGHT * any(map(str.isdigit, word)) + _CAPITAL_WEIGHT * word[0].isupper()
    return len(word) + gained + _CAPITALS_WEIGHT * (word[1:] != word[1:].lower())


@lru_cache(maxsize=20_000)
def _root(word: str) -> str:
    if not word.isalpha():
        return word
    if not word.isascii():
        letters = "".join(each for each in unicodedata.normalize("NFKD", word) if not unicodedata.combining(each))
        return letters[:ROOT_LETTERS]
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= ROOT_MIN:
            return word[: -len(ending)]
    return word
