"""Stem words in Cyrillic and Greek, which the engines' English stemmer leaves as they are.

The script alone chooses the rules, so texts and queries agree. All Cyrillic is stemmed as Russian.
"""

import importlib
import re
from functools import lru_cache
from typing import Any, Final

STEMS_KEPT: Final = 20_000
"""Words with cached stems, a few megabytes at most."""

_WORD: Final = re.compile("(?P<russian>[\u0400-\u052f]+)|(?P<greek>[\u0370-\u03ff\u1f00-\u1fff]+)")
"""A word in one of these scripts; the group names its rules (snowballstem.org)."""


def inflected_stem(word: str) -> str:
    """Return the stem of *word*; empty for other scripts."""
    match = None if word.isascii() else _WORD.fullmatch(word)
    return _stem(match) if match else ""


def inflected_stems(text: str) -> list[str]:
    """Return the stems of the words of *text* in these scripts."""
    return [_stem(match) for match in _WORD.finditer(text)]


def _stem(match: re.Match[str]) -> str:
    return _stem_by(str(match.lastgroup), match[0].lower())


@lru_cache(STEMS_KEPT)
def _stem_by(rules: str, word: str) -> str:
    stemmers: Any = importlib.import_module("Stemmer")  # a megabyte, which most users never need
    return str(stemmers.Stemmer(rules, 0).stemWord(word))  # made anew: one must not be shared by threads
