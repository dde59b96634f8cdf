"""Put rows of conversations in the order of time where they disagree: what was said last stands before what it changed.

Two turns of different sessions disagree about a question if the sentence of each that has most of its words shares
enough of them with the other's, and either the later one says that something holds no more ("switching to", "instead
of", "superseding"), or both have another number beside the same word ("30 seconds", "60 seconds"). All others stay as
they were found: an older answer that nothing contradicts is the best one. That two names differ says nothing: two
sentences about one thing seldom name the same.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from palimp_daemon.store.tables.memories import Row
from palimp_daemon.text.replacing_words import words_that_replace

READ_CHARACTERS: Final = 4_000
"""Characters read of a turn."""

SHARED_PART: Final = 0.5
"""Of what the question's words say in the sentence that has most of them, the part that two that disagree share."""

Stems = Callable[[str], set[str]]
"""Finds the stems in a text."""

_END: Final = re.compile(r"(?<=[.!?])\s+|\n+|(?<=[。！？])")
_NUMBER: Final = re.compile(
    r"(?:\b(\w{3,40})\b[\s:=`*]+)?(?<![\w.,/-])(\d+(?:[.,]\d+)*)(?![\w/]|\.\w)(?:[\s`*-]{0,3}([^\W\d_]{1,40}\b|%))?"
)
"""A number, the word before it and the word or sign behind it."""


class Said(NamedTuple):
    """What a turn says of a question, in one sentence."""

    session: int | None
    at_ms: int
    words: Mapping[str, float]
    """Stems of the question in it, and what each says."""
    numbers: Mapping[str, frozenset[str]]
    """Numbers by the word that each stands beside."""
    replaces: bool
    """Whether it says that something holds no more."""

    @property
    def weight(self) -> float:
        """What its words of the question say together."""
        return sum(self.words.values())


def newest_first(rows: Sequence[Row], words: Mapping[str, float], stems_in: Stems) -> list[Row]:
    """Return *rows*, best first, with each before the older ones that it disagrees with.

    *words* are the stems of the question and what each says, *stems_in* finds those of a text.
    """
    if len({row.session_id for row in rows}) < 2:
        return [*rows]
    said = [said_of(row, words, stems_in) for row in rows]
    return [rows[place] for place in order_of(said)]


def order_of(said: Sequence[Said]) -> list[int]:
    """Return the places of *said*, each before the first older one that it disagrees with."""
    least = SHARED_PART * max((each.weight for each in said), default=0.0)
    order: list[int] = []
    for place, each in enumerate(said):
        changed = (at for at, other in enumerate(order) if disagrees(each, said[other], least))
        order.insert(next(changed, len(order)), place)
    return order


def disagrees(newer: Said, older: Said, least: float) -> bool:
    """Tell whether *newer*, of another session, says something else than *older*; *least* is what both must say."""
    if newer.at_ms <= older.at_ms or newer.session is None or newer.session == older.session:
        return False
    shared = sum(newer.words[stem] for stem in newer.words.keys() & older.words.keys())
    if not shared or shared < least:
        return False
    beside = newer.numbers.keys() & older.numbers.keys()
    return newer.replaces or any(newer.numbers[word].isdisjoint(older.numbers[word]) for word in beside)


def said_of(row: Row, words: Mapping[str, float], stems_in: Stems) -> Said:
    """Return what *row* says in the first sentence that has most of *words*."""
    best = Said(row.session_id, row.created_at, {}, {}, replaces=False)
    told = ""
    for sentence in _END.split(row.content[:READ_CHARACTERS]):
        found = best._replace(words={stem: words[stem] for stem in words.keys() & stems_in(sentence)})
        if found.weight > best.weight:
            best, told = found, sentence
    return best._replace(numbers=numbers_in(told), replaces=bool(words_that_replace(told)))


def numbers_in(sentence: str) -> dict[str, frozenset[str]]:
    """Return the numbers in *sentence* by the words, in small letters, that stand beside them."""
    found: dict[str, frozenset[str]] = {}
    for before, number, behind in _NUMBER.findall(sentence):
        for word in filter(None, (before.lower(), behind.lower())):
            found[word] = found.get(word, frozenset()) | {number}
    return found
