"""Words that show a common subject of two messages."""

import re
from collections.abc import Sequence
from typing import Final

_WORD: Final = re.compile(r"[\w./:+#-]*\w")

_TOGETHER: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
"""A Chinese or Japanese character; these scripts have no spaces."""

_WORD_CHARACTERS_MIN: Final = 4

_COMMON_WORDS: Final = """
    about after again also another because been before both call called change changed code could does done each
    file files first from have here into just like line lines made make more most need only other over same should
    since some such test tests than that their them then there these they thing this those through time used uses
    using want were what when where which while will with work works would your
"""


def stems(text: str) -> set[str]:
    """Return the stems of the distinctive words of *text*."""
    return names_in(words_of(text))


def names_in(words: Sequence[str]) -> set[str]:
    """Return the stems of the distinctive *words*."""
    return {_stem(word) for word in words if _says_something(word)} - _COMMON


def words_of(text: str) -> list[str]:
    """Return the words of *text*; names are single ones."""
    return _WORD.findall(text)


def are_alike(one: str, other: str) -> bool:
    """Tell whether one word is the other or its beginning: rabbit is RabbitMQ."""
    shorter, longer = sorted((one, other), key=len)
    return shorter == longer or (len(shorter) >= _WORD_CHARACTERS_MIN and longer.startswith(shorter))


def _says_something(word: str) -> bool:
    return len(word) >= _WORD_CHARACTERS_MIN or any(character.isdigit() for character in word) or word.isupper()


def _stem(word: str) -> str:
    return word.lower().strip("`.:-").removesuffix("s")


_COMMON: Final = frozenset(map(_stem, _COMMON_WORDS.split()))


def length_in_words(text: str) -> int:
    """Count the words in *text*; without spaces, two characters count as one."""
    together = len(_TOGETHER.findall(text))
    return len(text.split()) if not together else len(_TOGETHER.sub(" ", text).split()) + together // 2
