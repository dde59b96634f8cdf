"""Find the words of a query in a text.

Stemming each word costs ten times the rest. A stemmer changes at most the last letter of the stem, so only words with
the beginning of a wanted stem are looked up, in names (`getUserName`) anywhere; beyond ASCII, all.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from palimp_daemon.search.characters import MARKS
from palimp_daemon.search.cjk import UNSPACED_RUN, WORD_BESIDE, side_by_side
from palimp_daemon.search.folding import symbol_of
from palimp_daemon.search.joined_words import digits_of_joined, joined_in
from palimp_daemon.search.stems import ASCII_WORD, WORD, Stems

_NOT_ASCII_WORD: Final = re.compile(f"[^\\W\x00-\x7f]|[{MARKS}]")


class SearchStems:
    """Stems looked for, possible beginnings of their words, and a cache of words found."""

    __slots__ = ("_found_by", "counts", "digits_of_joined", "openings", "side_by_side", "stems")

    def __init__(self, stems: frozenset[str], openings: Sequence[str]) -> None:
        self.stems = stems
        self.openings = openings
        self.side_by_side = side_by_side(stems)
        """Finds the stems in scripts without spaces."""
        self.digits_of_joined = digits_of_joined(stems)
        """Digit sequences, one of them in every text with one of the stems in parts."""
        self.counts: dict[str, dict[str, int]] = {}
        """By text, counts of each stem."""
        self._found_by: dict[str, frozenset[str]] = {}
        """By word looked up; texts with equal words share a set."""

    def meant_by(self, word: str, stems: Stems) -> frozenset[str]:
        """Return the wanted stems of *word*."""
        if (known := self._found_by.get(word)) is None:
            known = self._found_by[word] = stems.of_word(word) & self.stems
        return known

    def joined_in(self, text: str, stems: Stems) -> "list[Mention]":
        """Return the mentions in *text* of words written in parts."""
        if not (self.digits_of_joined and any(digits in text for digits in self.digits_of_joined)):
            return []
        found = [(each, self.stems.intersection(stems.of_term(each.word))) for each in joined_in(text)]
        return [Mention(each.start, each.end, meant) for each, meant in found if meant]


NO_STEMS: Final = SearchStems(frozenset(), ())


class Mention(NamedTuple):
    """A word of a text, from *start* to *end*, with its wanted *stems*."""

    start: int
    end: int
    stems: frozenset[str]


def search_stems(wanted: Iterable[str], stems: Stems) -> SearchStems:
    """Prepare a search for the stems *wanted*."""
    found_by = frozenset(wanted)
    openings = {symbol_of(stem) or stems.opening(stem) for stem in found_by if stem} | {
        form for stem in found_by for form in stems.irregular_forms(stem)
    }
    # What begins with a shorter one is found with that.
    shortest = [each for each in openings if not any(each[:length] in openings for length in range(1, len(each)))]
    return SearchStems(found_by, shortest)


def mentions(text: str, wanted: SearchStems, stems: Stems) -> list[Mention]:
    """Return the words of *text* that match *wanted*, in order, without overlaps."""
    found = [
        Mention(start, end, meant)
        for start, end in sorted(_looked_at(text, wanted))
        if (meant := wanted.meant_by(text[start:end], stems))
    ]
    joined = wanted.joined_in(text, stems)
    return _with_joined(found, joined) if joined else found


def _with_joined(words: list[Mention], joined: list[Mention]) -> list[Mention]:
    found: list[Mention] = []
    for each in sorted([*joined, *words], key=lambda mention: (mention.start, -mention.end)):
        if found and each.start < found[-1].end:
            last = found[-1]
            found[-1] = Mention(last.start, max(last.end, each.end), last.stems | each.stems)
        else:
            found.append(each)
    return found


def positions_by_stem(text: str, wanted: SearchStems, stems: Stems) -> dict[str, list[int]]:
    """Return the unordered offsets in *text* of each *wanted* stem."""
    places: dict[str, list[int]] = {}
    for start, end in _looked_at(text, wanted):
        for stem in wanted.meant_by(text[start:end], stems):
            places.setdefault(stem, []).append(start)
    for start, _, meant in wanted.joined_in(text, stems):
        for stem in meant:
            places.setdefault(stem, []).append(start)
    return places


def _looked_at(text: str, wanted: SearchStems) -> Iterable[tuple[int, int]]:
    if not wanted.stems:
        return ()
    if text.isascii() or not _NOT_ASCII_WORD.search(text):
        return _beginning_with(text, wanted.openings).items()
    if not UNSPACED_RUN.search(text):
        return (match.span() for match in WORD.finditer(text))
    found = [WORD_BESIDE.finditer(text)] + ([wanted.side_by_side.finditer(text)] if wanted.side_by_side else [])
    return (match.span() for each in found for match in each)


def _beginning_with(text: str, openings: Iterable[str]) -> dict[int, int]:
    """Return start and end of words with one of *openings* at their start, or after a capital or digit."""
    lower = text.lower()
    has_capitals = lower != text
    found: dict[int, int] = {}
    for each in openings:
        at = lower.find(each)
        while at >= 0:
            start = at
            if at and each.isascii() and lower[at - 1].isalnum():  # else it is a symbol, a word of its own
                if not (has_capitals or lower[at - 1].isdigit()):
                    at = lower.find(each, at + 1)
                    continue
                start = _start_of_word(lower, at)
            match = ASCII_WORD.match(lower, at)
            end = match.end() if match else at + 1
            found[start] = end
            at = lower.find(each, end)
    return found


def _start_of_word(text: str, at: int) -> int:
    while at and text[at - 1].isalnum():
        at -= 1
    return at
