"""Stems of words in Cyrillic and in Greek, which the engines' stemmer, made for English, leaves as they are.

The script tells which rules a word needs, so that it has the same stem in a text and alone in a query. Other languages
in Cyrillic are stemmed as Russian is, on both sides alike, which finds some of their forms.
"""

import importlib
import re
from functools import lru_cache
from typing import Any, Final

STEMS_KEPT: Final = 20_000
"""Words whose stems are remembered, about three megabytes if somebody has as many."""

_RULES: Final = ((re.compile("[\u0400-\u052f]+"), "russian"), (re.compile("[\u0370-\u03ff\u1f00-\u1fff]+"), "greek"))
"""A word of which letters only, and whose rules (snowballstem.org)."""

_WORD: Final = re.compile("[\u0370-\u03ff\u1f00-\u1fff]+|[\u0400-\u052f]+")


@lru_cache(STEMS_KEPT)
def inflected_stem(word: str) -> str:
    """Return the stem of *word*; nothing when it is in another script."""
    for letters, rules in _RULES:
        if letters.fullmatch(word):
            stemmers: Any = importlib.import_module("Stemmer")  # a megabyte, which most users never need
            return str(stemmers.Stemmer(rules, 0).stemWord(word.lower()))  # one must not be shared by threads
    return ""


def inflected_stems(text: str) -> list[str]:
    """Return the stems of the words of *text* in these scripts."""
    return [inflected_stem(word) for word in _WORD.findall(text)]
