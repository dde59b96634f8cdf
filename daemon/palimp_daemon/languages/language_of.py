"""Recognise a text's language by stop words, and find its stop words.

Rarity alone would not do: with few memories in a language, its "and" is as rare as a name. Stop words of others stay:
`die`, `war` and `pour` mean much elsewhere. Ties: English, then most function words, then the order of
`language.NAMES`.
"""

import re
from collections import Counter
from functools import cache
from typing import Final

from stop_words import AVAILABLE_LANGUAGES, get_stop_words  # pyright: ignore[reportMissingTypeStubs]  typed inline

from palimp_daemon.languages.language import NAMES, sections

ENGLISH: Final = "english"
OTHER: Final = "other"

UNSPACED: Final = frozenset({"chinese", "japanese"})
"""Languages without spaces (see `search.cjk`)."""

WORDS_MIN: Final = 2
"""Different words of a language's list that a text in it must have."""

SHARE_MIN: Final = 0.2
"""Their least share of the text's different words; with it, no English question or prompt of the development sets
passes for another language.
"""

NOT_LATIN_SHARE: Final = 1 / 3
"""Share of non-Latin letters above which a text is in another language: low, as identifiers in Chinese text have more
letters than the text; names in English text have few.
"""

BEHIND_LATIN: Final = "\u0250"
"""First character behind the Latin blocks, rare ones excluded."""

_WORD: Final = re.compile(r"[^\W_]+")


def language_of(text: str) -> str:
    """Return the English name of *text*'s language; unknown: English, or OTHER for other letters."""
    language = _language_of(_words(text))
    return language if language != ENGLISH or _is_latin(text) else OTHER


def languages_of(question: str) -> list[str]:
    """Return the languages with most function words in the folded *question*; English in a tie, or without any.

    Only languages with a file count.
    """
    words = set(re.findall(r"[ld]'|[\w']+", question))
    counts = {name: len(words & votes) for name, votes in _votes().items()}
    most = max(counts.values())
    return [name for name, count in counts.items() if count == most] if counts[ENGLISH] < most else [ENGLISH]


def saying_nothing(text: str) -> frozenset[str]:
    """Return the stop words of *text* in its language; none if it is English."""
    words = _words(text)
    language = _language_of(words)
    if language == ENGLISH:
        return frozenset()
    return frozenset(word for word in words if language in _languages_of().get(word, ()))


def is_function_word(word: str) -> bool:
    """Tell whether *word* is a stop word of some language that separates words."""
    return word.lower() in _languages_of()


def _is_latin(text: str) -> bool:
    if text.isascii():
        return True
    letters = [letter for letter in text if letter.isalpha()]
    return sum(letter >= BEHIND_LATIN for letter in letters) <= NOT_LATIN_SHARE * len(letters)


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.lower()))


def _language_of(words: frozenset[str]) -> str:
    lists = _languages_of()
    counts = Counter(language for word in words if word in lists for language in lists[word])
    most = max(counts.values(), default=0)
    tied = [language for language, count in counts.items() if count == most]
    if most < max(WORDS_MIN, SHARE_MIN * len(words)) or ENGLISH in tied:
        return ENGLISH
    return tied[0] if len(tied) == 1 else min(tied, key=lambda each: _behind_others(each, words))


def _behind_others(language: str, words: frozenset[str]) -> tuple[int, int, str]:
    """Return a sort key of *language* in a tie: lower is likelier."""
    place = NAMES.index(language) if language in NAMES else len(NAMES)
    return -len(words & _votes().get(language, frozenset())), place, language


@cache
def _languages_of() -> dict[str, tuple[str, ...]]:
    """Return the languages of each stop word, in 10 ms."""
    found: dict[str, tuple[str, ...]] = {}
    shared: dict[tuple[str, ...], tuple[str, ...]] = {}  # few are different: a third of what all of this takes
    for language in AVAILABLE_LANGUAGES:
        if language not in UNSPACED:
            for word in get_stop_words(language, cache=False):
                if _WORD.fullmatch(word):
                    languages = (*found.get(word.lower(), ()), language)
                    found[word.lower()] = shared.setdefault(languages, languages)
    return found


@cache
def _votes() -> dict[str, frozenset[str]]:
    words = sections(lambda language: language.function_words)
    return {name: frozenset(each.split()) for name, each in words.items()}
