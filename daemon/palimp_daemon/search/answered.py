"""Which questions were answered since: by what was saved later on the same matter."""

from collections.abc import Callable, Sequence
from typing import Final

from palimp_daemon.search.stems import WORD
from palimp_daemon.search.stop_words import saying_nothing
from palimp_daemon.search.terms import QUESTION_WORDS, STOP_WORDS

SHARED_MIN: Final = 0.6
"""The share of a question's telling words that what answers it has."""

WORDS_MIN: Final = 2
"""Words that both have at least: one is shared by chance."""

_NOTHING: Final = STOP_WORDS | QUESTION_WORDS


class TellingWords:
    """The telling words of texts, as stems."""

    def __init__(self, stems: Callable[[str], Sequence[str]]) -> None:
        self._stems = stems

    def of(self, text: str) -> frozenset[str]:
        """Return those of *text*."""
        text = text.lower()
        foreign = saying_nothing(text)
        words = [word for word in WORD.findall(text) if word not in _NOTHING and word not in foreign]
        return frozenset(self._stems(" ".join(words)))


def is_answered(question: frozenset[str], later: Sequence[frozenset[str]]) -> bool:
    """Tell whether one of the texts *later* has most of the words of a *question*, and says something besides."""
    needed = max(WORDS_MIN, SHARED_MIN * len(question))
    return any(len(question & each) >= needed and bool(each - question) for each in later)
