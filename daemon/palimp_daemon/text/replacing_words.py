"""Find words with which a text says that it replaces something, or is an exception.

They count only beside an older memory on the same subject (`judgement.replacing`). "Now", "new", "old", "was" are too
common. Patterns: `languages/<name>.toml`.
"""

import re
from collections.abc import Sequence
from functools import cache
from typing import Final, NamedTuple

from palimp_daemon.languages.language import Replacing, either, sections
from palimp_daemon.languages.language_of import is_function_word, language_of

_PLAIN_WORD: Final = re.compile(r"[A-Za-z0-9_]+")
_PART: Final = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+")
"""A number or word; in scripts without spaces, the text between two numbers."""
_CLAUSE_END: Final = re.compile(r"[,;:.]\s|\s[(–—-]")

BESIDE_NOW: Final = 2
"""Words before "now" that may hold the number: "60 seconds now"."""


@cache
def _sections() -> dict[str, Replacing]:
    return sections(lambda language: language.replacing)


@cache
def _unspaced_sections() -> dict[str, Replacing]:
    return sections(lambda language: language.replacing, has_whole_words=False)


def says_little_besides(older: str, newer: str) -> bool:
    """Tell whether *older* is about one thing, and has no name, number or list that *newer* lacks.

    A reason in *older* does not count.
    """
    language = language_of(f"{older} {newer}")
    told = _list(language).reason.sub("", older)
    said = set(_PLAIN_WORD.findall(newer.lower()))
    missing = [word for word in _PLAIN_WORD.findall(told)[1:] if word.lower() not in said]
    return not _list(language).between.search(told) and not any(not word.islower() for word in missing)


def is_other_value(older: str, newer: str) -> bool:
    """Tell whether *newer* is *older* with one other number and "now" (not "phase 2 is done now")."""
    said, first = _around_now(newer)
    place = _other_number(said, _PART.findall(older.lower()))
    return place is not None and place >= first


def is_same_but_value(older: str, newer: str) -> bool:
    """Tell whether one number behind a function word differs: "is 10 MB"."""
    said, former = (_PART.findall(text.lower()) for text in (newer, older))
    place = _other_number(said, former)
    return bool(place) and is_function_word(said[place - 1])


def _other_number(said: Sequence[str], former: Sequence[str]) -> int | None:
    other = [place for place, (one, two) in enumerate(zip(said, former, strict=False)) if one != two]
    if len(said) != len(former) or len(other) != 1:
        return None
    is_number = said[other[0]][0].isdigit() and former[other[0]][0].isdigit()
    return other[0] if is_number else None


def clause_with_other_value(older: str, newer: str) -> str:
    """Return the first clause of *older*, if that of *newer* is the same with one other number and "now"; else ""."""
    former, said = (_CLAUSE_END.split(text, maxsplit=1)[0] for text in (older, newer))
    return former if is_other_value(former, said) else ""


def is_other_value_of_part(older: str, newer: str) -> bool:
    """Tell whether *newer* repeats a part of *older* with one other number and "now".

    The words around the number must be the same.
    """
    said, first = _around_now(newer)
    former = _PART.findall(older.lower())
    numbers = [place for place, word in enumerate(said) if word[0].isdigit() and word not in former]
    if len(numbers) != 1 or not first <= numbers[0] or not {*said} - {said[numbers[0]]} <= {*former}:
        return False
    before, behind = said[: numbers[0]][-1:], said[numbers[0] + 1 :][:1]
    return bool(before) and any(
        word[0].isdigit() and former[:place][-1:] == before and (not behind or former[place + 1 :][:1] == behind)
        for place, word in enumerate(former)
    )


def _around_now(newer: str) -> tuple[list[str], int]:
    """Return the words of *newer* without "now", or none, and the first place for a value."""
    now = _now().search(newer)
    if now is None or not newer[: now.start()].strip():
        return [], 0
    said = _PART.findall((newer[: now.start()] + newer[now.end() :]).lower())
    return said, len(_PART.findall(newer[: now.start()])) - BESIDE_NOW


@cache
def _now() -> re.Pattern[str]:
    spaced, unspaced = (either(*(each.now for each in which().values())) for which in (_sections, _unspaced_sections))
    return re.compile(rf"(?i)(?<!\w)(?:{spaced})(?!\w)|{unspaced}")


class _List(NamedTuple):
    """Patterns of a list, by language: the Dutch "of" (or) separates nothing in English."""

    between: re.Pattern[str]
    """Separates a list's items, or sentences; only a part of such a text may be outdated."""
    reason: re.Pattern[str]
    """A reason, from its comma to the end of the sentence."""


@cache
def _list(language: str) -> _List:
    spaced = [each for name, each in _sections().items() if name == language]
    conjunctions, reasons = either(*(each.conjunctions for each in spaced)), either(*(each.reasons for each in spaced))
    unspaced = either(*(each.conjunctions for each in _unspaced_sections().values()))
    between = rf"[,;、，；&+]\s*\S|\.\s+\S|{unspaced}" + (rf"|(?<!\w)(?:{conjunctions})(?!\w)" if conjunctions else "")
    reason = rf"(?i),?\s(?:{reasons})(?!\w)(?:[^.;]|\.(?=\S))*"
    return _List(re.compile(f"(?i){between}"), re.compile(reason if reasons else r"(?!)"))


@cache
def _replacing() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Compile in 4 ms, so not at the daemon's start."""
    spaced = either(*(pattern for each in _sections().values() for pattern in each.says))
    unspaced = either(*(pattern for each in _unspaced_sections().values() for pattern in each.says))
    return re.compile(rf"(?i)(?<!\w)(?:{spaced})(?!\w)"), re.compile(unspaced)


@cache
def _excepting() -> re.Pattern[str]:
    spaced = either(*(each.excepting for each in _sections().values()))
    unspaced = either(*(each.excepting for each in _unspaced_sections().values()))
    return re.compile(rf"(?i)(?<!\w)(?:{spaced})(?!\w)|{unspaced}")


def words_that_replace(text: str) -> str:
    """Return the first words of *text* for a replacement, or ""."""
    spaced, unspaced = _replacing()
    found = spaced.search(text) or unspaced.search(text)
    return " ".join(found[0].split()) if found else ""


@cache
def _returning() -> re.Pattern[str]:
    spaced, unspaced = (
        either(*(each.returns for each in which().values())) for which in (_sections, _unspaced_sections)
    )
    return re.compile(rf"(?i)(?<!\w)(?:{spaced})(?!\w)|{unspaced}")


def says_that_it_returns(text: str) -> bool:
    """Tell whether *text* says that a former state holds again."""
    return bool(_returning().search(text))


def is_exception(text: str) -> bool:
    """Tell whether *text* limits itself to some place."""
    return bool(_excepting().search(text))
