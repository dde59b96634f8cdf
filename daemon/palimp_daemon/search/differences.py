"""Whether two texts that are nearly the same say the same.

"The limit is 20" and "the limit is 30" share all words but one, and so do "we use it" and "we do not use it". Texts
that differ in a number, a version, an identifier or a negation are never taken for one another.
"""

import re
from typing import Final

_WORD: Final = re.compile(r"[\w'’./:@#$%+-]*\w[%+]*|[<>]=?|[=!]=")
_TELLING: Final = re.compile(r"\d|[_/:@#$%]|\w\.\w|[a-z][A-Z]|^[A-Z]{2,}$|^[<>]|^[=!]=")

NEGATIONS: Final = frozenset(
    """
    no not never none neither nor without cannot can't won't don't doesn't didn't isn't aren't wasn't weren't shouldn't
    mustn't wouldn't couldn't hasn't haven't hadn't nothing nobody stop stopped avoid avoids instead except unless only
    disable disabled disallow forbid forbidden remove removed drop dropped reject rejected deny denied
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)


def telling_words(text: str) -> frozenset[str]:
    """Return the words of *text* of which none may differ: numbers, versions, identifiers, negations."""
    words = (word.replace("’", "'").rstrip(".:,;-") for word in _WORD.findall(text))
    return frozenset(word.lower() for word in words if _TELLING.search(word) or word.lower() in NEGATIONS)


def say_the_same(one: str, other: str) -> bool:
    """Tell whether no telling word stands in only one of two texts that are nearly the same."""
    return telling_words(one) == telling_words(other)
