"""Topics: the words that many of some texts share, and that are not in nearly all of them."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from palimp_daemon.search.stems import WORD
from palimp_daemon.search.stop_words import saying_nothing
from palimp_daemon.search.terms import QUESTION_WORDS, STOP_WORDS

CHARACTERS_MAX: Final = 400
"""Characters read of each text: its beginning says what it is about."""

LENGTH_MIN: Final = 3
TEXTS_MIN: Final = 2
"""Texts that a topic is shared by at least."""

EVERYWHERE: Final = 0.5
"""The share of the texts from which a word says nothing, if there are more than EVERYWHERE_TEXTS."""
EVERYWHERE_TEXTS: Final = 12

_NOTHING: Final = STOP_WORDS | QUESTION_WORDS


def topics_of(texts: Iterable[str], stems: Callable[[str], Sequence[str]], limit: int) -> list[tuple[str, int]]:
    """Return the *limit* words that most of *texts* share, each as it is written most often, with in how many."""
    shared: Counter[str] = Counter()
    written: dict[str, Counter[str]] = {}
    count = 0
    for text in texts:
        count += 1
        beginning = text[:CHARACTERS_MAX].lower()
        foreign = saying_nothing(beginning)
        words = [
            word
            for word in WORD.findall(beginning)
            if len(word) >= LENGTH_MIN and not word.isdigit() and word not in _NOTHING and word not in foreign
        ]
        for stem, word in dict(zip(stems(" ".join(words)), words, strict=True)).items():
            shared[stem] += 1
            written.setdefault(stem, Counter())[word] += 1
    most = count * EVERYWHERE if count > EVERYWHERE_TEXTS else count
    found = [(stem, times) for stem, times in shared.items() if TEXTS_MIN <= times <= most]
    found.sort(key=lambda entry: (-entry[1], entry[0]))
    return [
        (min(written[stem].items(), key=lambda item: (-item[1], item[0]))[0], times) for stem, times in found[:limit]
    ]
