"""Detect answered questions."""

from collections.abc import Sequence
from typing import Final

SHARED_MIN: Final = 0.6
"""The share of a question's telling words that what answers it has."""

WORDS_MIN: Final = 2
"""Words that both have at least: one is shared by chance."""


def is_answered(question: frozenset[str], later: Sequence[frozenset[str]]) -> bool:
    """Tell whether one of the *later* texts has most words of *question*, and others besides.

    Texts are sets of `telling_words.telling_words_of_language`.
    """
    needed = max(WORDS_MIN, SHARED_MIN * len(question))
    return any(len(question & each) >= needed and bool(each - question) for each in later)
