"""Sort rows of conversations by time where they disagree.

Two turns of different sessions disagree about a question if their sentences with most of its words share enough of
them, and the later one replaces something ("switching to", "instead of"), or both have different numbers beside a word
("30 seconds", "60 seconds"). Others keep their rank: an uncontradicted older answer is the best. Different names mean
nothing.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Final, NamedTuple

from palimp_daemon.store.tables.memory_rows import Row
from palimp_daemon.text.replacing_words import words_that_replace

READ_CHARACTERS: Final = 4_000
"""Characters read of a turn."""

SHARED_PART: Final = 0.5
"""Share of the greatest sentence weight that two sentences must have in common to disagree."""

Stems = Callable[[str], set[str]]

_END: Final = re.compile(r"(?<=[.!?])\s+|\n+|(?<=[。！？])")
_NUMBER: Final = re.compile(
    r"(?:\b(\w{3,40})\b[\s:=`*]+)?(?<![\w.,/-])(\d+(?:[.,]\d+)*)(?![\w/]|\.\w)(?:[\s`*-]{0,3}([^\W\d_]{1,40}\b|%))?"
)


class Said(NamedTuple):
    """A turn's sentence on a question."""

    session: int | None
    at_ms: int
    words: Mapping[str, float]
    """The question's stems in it, each with its weight."""
    numbers: Mapping[str, frozenset[str]]
    """Numbers by their neighbouring word."""
    replaces: bool
    """Whether it says that something no longer holds."""

    @property
    def weight(self) -> float:
        """The summed weight of its words of the question."""
        return sum(self.words.values())


def newest_first(rows: Sequence[Row], words: Mapping[str, float], stems_in: Stems) -> list[Row]:
    """Return *rows*, best first, each before older ones it disagrees with.

    *words* weighs the question's stems, *stems_in* finds a text's.
    """
    if len({row.session_id for row in rows}) < 2:
        return [*rows]
    said = [said_of(row, words, stems_in) for row in rows]
    return [rows[place] for place in order_of(said)]


def order_of(said: Sequence[Said]) -> list[int]:
    """Return the places of *said*, each before older ones it disagrees with."""
    least = SHARED_PART * max((each.weight for each in said), default=0.0)
    order: list[int] = []
    for place, each in enumerate(said):
        changed = (at for at, other in enumerate(order) if disagrees(each, said[other], least))
        order.insert(next(changed, len(order)), place)
    return order


def disagrees(newer: Said, older: Said, least: float) -> bool:
    """Tell whether *newer*, of another session, contradicts *older*; each must weigh *least*."""
    if newer.at_ms <= older.at_ms or newer.session is None or newer.session == older.session:
        return False
    shared = sum(newer.words[stem] for stem in newer.words.keys() & older.words.keys())
    if not shared or shared < least:
        return False
    beside = newer.numbers.keys() & older.numbers.keys()
    return newer.replaces or any(newer.numbers[word].isdisjoint(older.numbers[word]) for word in beside)


def said_of(row: Row, words: Mapping[str, float], stems_in: Stems) -> Said:
    """Return the first sentence of *row* with most of *words*."""
    best = Said(row.session_id, row.created_at, {}, {}, replaces=False)
    told = ""
    for sentence in _END.split(row.content[:READ_CHARACTERS]):
        found = best._replace(words={stem: words[stem] for stem in words.keys() & stems_in(sentence)})
        if found.weight > best.weight:
            best, told = found, sentence
    return best._replace(numbers=numbers_in(told), replaces=bool(words_that_replace(told)))


def numbers_in(sentence: str) -> dict[str, frozenset[str]]:
    """Return the numbers in *sentence* by the lower-case words beside them."""
    found: dict[str, frozenset[str]] = {}
    for before, number, behind in _NUMBER.findall(sentence):
        for word in filter(None, (before.lower(), behind.lower())):
            found[word] = found.get(word, frozenset()) | {number}
    return found
