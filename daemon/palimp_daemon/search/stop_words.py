"""Stop words in other languages than English: which of a text's words those are.

Theory
------
That a word is frequent tells by itself that it says little. But a store may have few memories in a language, and
then its "and" and "not" are as rare as names; whatever else is asked in that language would be about them.

So the language of a text is told by these words, of which every text has some, and only the ones of that language are
left out: `die`, `war` and `pour` say nothing in one language and much in another. English, which has the longest
list, wins where as many words speak for it.
"""

import re
from collections import Counter
from functools import cache
from typing import Final

from stop_words import AVAILABLE_LANGUAGES, get_stop_words  # pyright: ignore[reportMissingTypeStubs]  typed inline

ENGLISH: Final = "english"
OTHER: Final = "other"

UNSPACED: Final = frozenset({"chinese", "japanese"})
"""Languages whose words are not separated (see `search.cjk`)."""

WORDS_MIN: Final = 2
"""Different words of a language's list that a text in it has at least."""

SHARE_MIN: Final = 0.2
"""Part of all its different words that they are, at least. Of the English questions and prompts of the development sets
none passes for another language."""

NOT_LATIN_SHARE: Final = 1 / 3
"""Part of the letters of a text that are not Latin ones, above which it is in another language: identifiers in the
middle of Chinese have more letters than the characters around them, and a name in an English text has few."""

BEHIND_LATIN: Final = "\u0250"
"""The first character behind the blocks of Latin letters, without rare ones."""

_WORD: Final = re.compile(r"[^\W_]+")


def language_of(text: str) -> str:
    """Return the language of *text*, by its English name.

    One that is not known is taken for English, in other letters for some OTHER.
    """
    language = _language_of(_words(text))
    return language if language != ENGLISH or _is_latin(text) else OTHER


def saying_nothing(text: str) -> frozenset[str]:
    """Return the words of *text*, in lower case, that say nothing in its language; none where that is English."""
    words = _words(text)
    language = _language_of(words)
    if language == ENGLISH:
        return frozenset()
    return frozenset(word for word in words if language in _languages_of().get(word, ()))


def _is_latin(text: str) -> bool:
    """Tell whether most letters of *text* are Latin ones."""
    if text.isascii():
        return True
    letters = [letter for letter in text if letter.isalpha()]
    return sum(letter >= BEHIND_LATIN for letter in letters) <= NOT_LATIN_SHARE * len(letters)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _language_of(words: frozenset[str]) -> str:
    lists = _languages_of()
    counts = Counter(language for word in words if word in lists for language in lists[word])
    language, count = max(counts.items(), key=lambda each: (each[1], each[0] == ENGLISH), default=(ENGLISH, 0))
    return language if count >= max(WORDS_MIN, SHARE_MIN * len(words)) else ENGLISH


@cache
def _languages_of() -> dict[str, tuple[str, ...]]:
    """Return the languages in whose list each word is. Takes 10 ms, so it is done when a text is looked at first."""
    found: dict[str, tuple[str, ...]] = {}
    shared: dict[tuple[str, ...], tuple[str, ...]] = {}  # few are different: a third of what all of this takes
    for language in AVAILABLE_LANGUAGES:
        if language not in UNSPACED:
            for word in get_stop_words(language, cache=False):
                if _WORD.fullmatch(word):
                    languages = (*found.get(word.lower(), ()), language)
                    found[word.lower()] = shared.setdefault(languages, languages)
    return found
