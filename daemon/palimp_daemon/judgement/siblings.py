"""Detect a newer memory that says of another subject what an older one says of the subject asked for.

"Staging deploys on every push" and "Production deploys on tags" are alike, and both hold. They differ in the subject
and, after it, in the value; a replacement differs in the value alone.
"""

import re
from collections.abc import Mapping
from difflib import SequenceMatcher
from functools import cache, lru_cache
from typing import Final

from palimp_daemon.languages.language import either, sections

COMPARED_WORDS: Final = 40
"""Words compared of each text: a statement is at its beginning."""

COMPARED_CHARACTERS: Final = 400
"""Characters read of each text for them."""

TEXTS_KEPT: Final = 64
"""Texts with cached words: an answer compares each of ten with the others."""

ALIKE_MIN: Final = 0.4
"""Share of the shorter text's words that both have in the same order."""

_WORD: Final = re.compile(r"[^\W_]+")


def of_one_subject(
    odds: Mapping[tuple[int, int], float], least: float, texts: Mapping[int, str], question: str
) -> dict[tuple[int, int], float]:
    """Drop *odds* of at least *least* if the newer text is about another subject than *question*."""
    return {
        (newer, older): known
        for (newer, older), known in odds.items()
        if known < least or not is_about_another(texts.get(newer, ""), texts.get(older, ""), question)
    }


def is_about_another(newer: str, older: str, question: str) -> bool:
    """Tell whether *question* names the subject of *older*, and not the other one of *newer*."""
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
    return not asked.isdisjoint(subject) and asked.isdisjoint(instead) and not _confirming().match(question)


@cache
def _confirming() -> re.Pattern[str]:
    said = sections(lambda language: language.reading)
    return re.compile(rf"(?i)\W*(?:{either(*(each.confirms for each in said.values() if each.confirms))})\b")


@lru_cache(TEXTS_KEPT)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text[:COMPARED_CHARACTERS].lower())[:COMPARED_WORDS])
