"""Meanings of phrases for times, per language that separates words (`languages/<name>.toml`).

Longer phrases win. A month that is also another word is `doubtful`.
"""

from collections.abc import Iterable, Iterator
from enum import Enum, auto
from functools import cache
from typing import Final, NamedTuple

from palimp_daemon.languages.language import Times, sections, split_list
from palimp_daemon.text.times import spans


class Role(Enum):
    """The part that a phrase plays in a time."""

    MONTH = auto()
    WEEKDAY = auto()
    UNIT = auto()
    SEASON = auto()
    WEEKEND = auto()
    NUMBER = auto()
    DAY_NUMBER = auto()
    ORDINAL = auto()
    DAYS_BACK = auto()
    UNITS_BACK = auto()
    QUARTER = auto()
    YEAR = auto()
    DATE = auto()
    LAST = auto()
    PAST = auto()
    THIS = auto()
    PART = auto()
    AGO = auto()
    SINCE = auto()
    AFTER = auto()
    BEFORE = auto()
    UNTIL = auto()
    BETWEEN = auto()
    FROM = auto()
    IN = auto()
    AND = auto()
    TO = auto()
    FILLER = auto()
    OTHER = auto()


class Phrase(NamedTuple):
    """A meaning of a phrase."""

    role: Role
    value: object = None
    is_doubtful: bool = False


PARTS: Final = {
    "first_third": spans.FIRST_THIRD,
    "middle": spans.MIDDLE,
    "last_third": spans.LAST_THIRD,
    "first_half": spans.FIRST_HALF,
    "second_half": spans.SECOND_HALF,
}
"""Parts of a span, by key in the languages' files."""


@cache
def times() -> dict[str, Times]:
    """Return the words for times by language that separates words."""
    return sections(lambda language: language.times)


@cache
def phrases_of(name: str) -> dict[str, list[Phrase]]:
    """Return the meanings of each phrase of the language *name*."""
    meanings: dict[str, list[Phrase]] = {}
    for phrase, meaning in _meanings(times()[name]):
        meanings.setdefault(phrase, []).append(meaning)
    return meanings


@cache
def first_words_of(name: str) -> frozenset[str]:
    """Return the first words of the phrases of the language *name*."""
    return frozenset(phrase.split()[0] for phrase in phrases_of(name))


def _meanings(words: Times) -> Iterator[tuple[str, Phrase]]:
    doubtful = frozenset(split_list(words.doubtful))
    for phrase, number in _with_numbers(words.months, 1):
        yield phrase, Phrase(Role.MONTH, number, phrase in doubtful)
    for phrase, number in _with_numbers(words.weekdays, 0):
        yield phrase, Phrase(Role.WEEKDAY, number)
    for phrase, number in _with_numbers(words.numbers, 1):
        yield phrase, Phrase(Role.NUMBER, number)
    for phrase, number in _with_numbers(words.ordinals, 1):
        yield phrase, Phrase(Role.ORDINAL, number)
    valued: tuple[tuple[Role, Iterable[tuple[object, str]]], ...] = (
        (Role.UNIT, words.units.items()),
        (Role.SEASON, words.seasons.items()),
        (Role.DAYS_BACK, enumerate(words.days_back)),
        (Role.PART, ((PARTS[part], phrases) for part, phrases in words.parts.items())),
        (Role.UNITS_BACK, (((unit, 2), phrases) for unit, phrases in words.two_back.items())),
    )
    for role, table in valued:
        for value, phrases in table:
            yield from ((phrase, Phrase(role, value)) for phrase in split_list(phrases))
    for role, phrases in words.roles.items():
        yield from ((phrase, Phrase(Role[role.upper()])) for phrase in split_list(phrases))


def _with_numbers(table: str, first: int) -> Iterable[tuple[str, int]]:
    for number, names in enumerate(split_list(table), first):
        yield from ((name.replace("_", " "), number) for name in names.split())
