"""Tell where a newer memory says of another subject what an older one says of the one that is asked for.

"Staging deploys on every push" and "Production deploys on tags" are alike, days apart, and both hold. They differ in
two places at least: in the subject, and behind it in its value. A question that has the older one's subject is not
answered by the newer one. What is replaced differs in its value alone, or the question has neither.
"""

import re
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final

COMPARED_WORDS: Final = 40
"""Words of each text that are compared: a statement is in its first ones."""

COMPARED_CHARACTERS: Final = 400
"""Characters of each text that are read for them."""

TEXTS_KEPT: Final = 64
"""Texts with their words cut: an answer compares each of ten with the others."""

ALIKE_MIN: Final = 0.4
"""Of the words of the shorter text, the part that both have in the same order."""

_WORD: Final = re.compile(r"[^\W_]+")

_POLAR: Final = re.compile(
    r"(?i)\W*(?:is|are|was|were|do|does|did|has|have|had|can|may|must|should|will|would|still)\b"
)
"""Begins a question that names a value to have it confirmed, which may be the former one."""


def is_about_another(newer: str, older: str, question: str) -> bool:
    """Tell whether *question* names the subject in which *older* differs from *newer*, and not that of *newer*."""
    if _POLAR.match(question):
        return False
    new, old = _words(newer), _words(older)
    asked = frozenset(_WORD.findall(question.lower()))
    if not (asked & {*old}) - {*new}:
        return False
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    equal = sum(end - start for kind, start, end, *_ in steps if kind == "equal")
    other = [(old[start:end], new[first:last]) for kind, start, end, first, last in steps if kind == "replace"]
    if len(other) < 2 or equal < ALIKE_MIN * min(len(old), len(new)):
        return False
    subject, instead = other[0]
    return not asked.isdisjoint(subject) and asked.isdisjoint(instead)


@lru_cache(TEXTS_KEPT)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text[:COMPARED_CHARACTERS].lower())[:COMPARED_WORDS])
