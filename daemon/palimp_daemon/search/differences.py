"""Tell whether nearly equal texts say the same, and whether one includes the other.

Numbers, versions, identifiers and negations must be equal. To supersede, the newer text must begin with the same words
in order, but for inflection and words such as "the".
"""

import re
from collections.abc import Callable, Sequence
from typing import Final

from palimp_daemon.search.minhash import normalize
from palimp_daemon.search.stems import WORD

_WORD: Final = re.compile(r"[\w'’./:@#$%+-]*\w[%+]*|[<>]=?|[=!]=")
_TELLING: Final = re.compile(r"\d|[_/:@#$%]|\w\.\w|[a-z][A-Z]|^[A-Z]{2,}$|^[<>]|^[=!]=")

NEGATIONS: Final = frozenset(
    """
    no not never none neither nor without nothing nobody stop stopped avoid avoids instead except unless only
    disable disabled disallow forbid forbidden remove removed drop dropped reject rejected deny denied
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
_SHORT_NOT: Final = re.compile(r"\b(?:(wo)|(ca)|(\w+))n't\b|\bcannot\b", re.IGNORECASE)
"""won't, can't, don't, cannot."""


def telling_words(text: str) -> tuple[frozenset[str], list[str]]:
    """Return words that must not differ (numbers, versions, identifiers), and negations."""
    words = [word.rstrip(".:,;-") for word in _WORD.findall(_in_full(text))]
    negations = sorted(word.lower() for word in words if word.lower() in NEGATIONS)
    return frozenset(word.lower() for word in words if _TELLING.search(word)), negations


def _in_full(text: str) -> str:
    return _SHORT_NOT.sub(_with_not, text.replace("’", "'"))


def _with_not(match: re.Match[str]) -> str:
    return f"{'will' if match[1] else match[3] or 'can'} not"


def say_the_same(one: str, other: str) -> bool:
    """Tell whether two similar texts have the same telling words and negations."""
    return telling_words(one) == telling_words(other)


SAYS_LITTLE: Final = frozenset(
    """
    a an the this that these those it its our we i you your and so of is are was were be been being has have had do does
    did for in
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
"""Words that may be added or dropped; no prepositions of direction or time ("before" is not "after")."""

QUALIFIERS: Final = frozenset(
    """
    may might must should shall can could would will maybe perhaps probably all every each some any few most always
    often sometimes usually rarely
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
"""Words for certainty or quantity."""

GROWN_MAX: Final = 3.0
"""Bound on the newer text's words, as a multiple of the older's; beyond it, it is another memory with the same
beginning."""

WORDS_MIN: Final = 2
"""Texts with fewer significant words must be equal."""

_OPERATORS: Final = re.compile(r"[+*/%&|^~=<>]|!=")


def says_as_much(newer: str, older: str, stems: Callable[[Sequence[str]], Sequence[str]]) -> bool:
    """Tell whether *newer* says all of *older* in the same words; *stems* stems each word."""
    if " ".join(newer.split()) == " ".join(older.split()) or normalize(newer) == normalize(older):
        return True
    operators = _OPERATORS.findall(older)
    if not say_the_same(newer, older) or _OPERATORS.findall(newer)[: len(operators)] != operators:
        return False
    new, old = _content(newer, stems), _content(older, stems)
    if len(old) < WORDS_MIN or len(new) > len(old) * GROWN_MAX:
        return False
    return new[: len(old)] == old and QUALIFIERS.isdisjoint(_words(newer) ^ _words(older))


def _words(text: str) -> set[str]:
    return {word.lower() for word in _WORD.findall(_in_full(text))}


def _content(text: str, stems: Callable[[Sequence[str]], Sequence[str]]) -> Sequence[str]:
    return stems([word for word in WORD.findall(_in_full(text).lower()) if word not in SAYS_LITTLE])
