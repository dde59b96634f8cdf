"""Detect answered questions."""

from collections.abc import Sequence
from typing import Final

SHARED_MIN: Final = 0.6
"""Share of a question's significant words that its answer has."""

WORDS_MIN: Final = 2
"""Least number of shared words: one is shared by chance."""


def is_answered(question: frozenset[str], later: Sequence[frozenset[str]]) -> bool:
    """Tell whether one of the *later* texts has most words of *question*, and others besides.

    Texts are sets of `telling_words.telling_words_of_language`.
    """
    needed = max(WORDS_MIN, SHARED_MIN * len(question))
    return any(len(question & each) >= needed and bool(each - question) for each in later)
