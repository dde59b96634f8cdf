"""Detect a newer memory that says of another subject what an older one says of the subject asked for.

"Staging deploys on every push" and "Production deploys on tags" differ in subject and value; a replacement differs in
the value alone.
"""

import re
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher
from functools import cache, lru_cache
from typing import Final

from palimp_daemon.languages.language import either, sections
from palimp_daemon.languages.language_of import is_function_word
from palimp_daemon.text.replacing_words import says_that_it_returns

COMPARED_WORDS: Final = 40
"""Words compared of each text: a statement is at its beginning."""

COMPARED_CHARACTERS: Final = 400
"""Characters read of each text for them."""

TEXTS_KEPT: Final = 64
"""Texts with cached words: an answer compares each of ten with the others."""

ALIKE_MIN: Final = 0.4
"""Share of the shorter text's words that both have in the same order."""

OPENING_WORDS: Final = 3
"""Equal words before two subjects: `the cleaning of`."""

STEM_LETTERS: Final = 4
"""Letters that forms of a word share."""

_WORD: Final = re.compile(r"[^\W_]+")


def of_one_subject(
    odds: Mapping[tuple[int, int], float], least: float, texts: Mapping[int, str], question: str
) -> dict[tuple[int, int], float]:
    """Drop *odds* of at least *least* if the newer text is about another subject than *question*."""
    return {
        (newer, older): known
        for (newer, older), known in odds.items()
        if known < least or not _are_apart(texts.get(newer, ""), texts.get(older, ""), question)
    }


def _are_apart(newer: str, older: str, question: str) -> bool:
    return is_about_another(newer, older, question) or are_of_one_kind(newer, older)


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


def are_of_one_kind(newer: str, older: str) -> bool:
    """Tell whether the texts begin with subjects of one kind: `dbt tasks`, `shell tasks`."""
    new, old = _words(newer), _words(older)
    same = next((place for place, (one, other) in enumerate(zip(new, old, strict=False)) if one != other), len(new))
    if same > OPENING_WORDS or len(new) < same + 2 or len(old) < same + 2:
        return False
    subject, instead = old[same], new[same]
    are_subjects = _may_be_subject(subject) and _may_be_subject(instead)
    if not are_subjects or _has(new, subject) or _has(old, instead) or says_that_it_returns(newer):
        return False
    is_first = not any(map(_may_be_subject, new[:same]))
    is_before_kind = new[same + 1] == old[same + 1] and all(_names_kind(text, new[same + 1]) for text in (newer, older))
    return (is_first and is_before_kind) or (same > 1 and _belonging().fullmatch(new[same - 1]) is not None)


def _names_kind(text: str, word: str) -> bool:
    """Tell whether *word* is a noun of *text*: before a colon or an auxiliary."""
    behind = text.lower().partition(word)[2]
    return _may_be_subject(word) and (behind.startswith(":") or _confirming().match(behind) is not None)


def _may_be_subject(word: str) -> bool:
    return word.isalpha() and not is_function_word(word)


def _has(words: Iterable[str], subject: str) -> bool:
    return any(word.startswith(subject[:STEM_LETTERS]) for word in words)


@cache
def _belonging() -> re.Pattern[str]:
    return re.compile(either(*(each.belongs for each in sections(lambda language: language.replacing).values())))


@cache
def _confirming() -> re.Pattern[str]:
    said = sections(lambda language: language.reading)
    return re.compile(rf"(?i)\W*(?:{either(*(each.confirms for each in said.values() if each.confirms))})\b")


@lru_cache(TEXTS_KEPT)
def _words(text: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(text[:COMPARED_CHARACTERS].lower())[:COMPARED_WORDS])
