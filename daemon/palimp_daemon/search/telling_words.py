"""The telling words of a text, as stems."""

from functools import lru_cache
from string import ascii_lowercase, digits
from typing import Final

from palimp_daemon.languages.language_of import saying_nothing
from palimp_daemon.search.cjk import UNSPACED_RUN, pieces_of
from palimp_daemon.search.stems import Stems
from palimp_daemon.search.terms import QUESTION_WORDS, STOP_WORDS

TELLING_MAX: Final = 512
"""Texts with cached significant words, some 2 MB: the same memories answer repeatedly."""


@lru_cache(maxsize=TELLING_MAX)
def telling_words(text: str, stems: Stems) -> frozenset[str]:
    """Return the stems of *text* without English stop words and single letters.

    Scripts without spaces give pairs of characters.
    """
    found = frozenset(stems.of_text(text)) - _silent_in_english(stems)
    if text.isascii() or not UNSPACED_RUN.search(text):
        return found
    return frozenset(word for word in found if not UNSPACED_RUN.fullmatch(word)).union(
        piece.text for piece in pieces_of(text)
    )


def telling_words_of_language(text: str, stems: Stems) -> frozenset[str]:
    """Return telling words without stop words of the text's language."""
    return telling_words(text, stems) - silent_stems(text, stems)


def silent_stems(text: str, stems: Stems) -> frozenset[str]:
    """Return the stems of stop words, English and of the text's language."""
    return _silent_in_english(stems).union(stems.of_words([*saying_nothing(text)]))


@lru_cache(maxsize=2)
def _silent_in_english(stems: Stems) -> frozenset[str]:
    return frozenset([*stems.of_words(sorted(STOP_WORDS | QUESTION_WORDS)), *ascii_lowercase, *digits, ""])
