"""Snippets: about a hundred characters around the words that matched, marked, and no word cut.

Words are compared as the index sees them (folded, stemmed, irregular forms and parts of identifiers brought to
their base), so a search for `run` marks `running`, one for `choose` marks `chose`, and one for `user` marks
`getUserName`. A snippet is of the text unless only another field matched, whose name then stands before it.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from palimp_daemon.search.irregular import BASE_FORMS
from palimp_daemon.search.stems import ASCII_WORD, WORD, Stems

SNIPPET_CHARACTERS: Final = 100
MARK: Final = "**"
ELLIPSIS: Final = "…"

CUT: Final = re.compile(f"({WORD.pattern})")
ASCII_CUT: Final = re.compile(f"({ASCII_WORD.pattern})")
"""Words, kept where a text is split at them."""


class Words(NamedTuple):
    """The words of a text, and which of them stand for terms that were searched for."""

    starts: list[int]
    """Where each word starts in the text."""
    ends: list[int]
    hits: dict[int, frozenset[str]]
    """By number of the word, in order."""


def field_snippet(fields: Sequence[tuple[str, str]], terms: frozenset[str], stems: Stems) -> str:
    """Return a snippet of the first of *fields* (name and text) with one of *terms*, or the first one's beginning.

    The name is said for every field but the first.
    """
    for number, (name, text) in enumerate(fields):
        words = words_of(text, terms, stems)
        if words.hits:
            shown = snippet(text, words)
            return f"[{name}] {shown}" if number else shown
    _, text = fields[0]
    return snippet(text, words_of(text, frozenset(), stems))


def words_of(text: str, terms: frozenset[str], stems: Stems) -> Words:
    """Return the words of *text*, and those that stand for *terms*."""
    # What lies between words, a word, what lies between words, and so on: where each ends follows from the lengths.
    pieces = (ASCII_CUT if text.isascii() else CUT).split(text)
    ends = list(accumulate(map(len, pieces)))
    hits = _hits(text, pieces[1::2], terms, stems) if terms else {}
    return Words(ends[:-1:2], ends[1::2], hits)


def _hits(text: str, words: list[str], terms: frozenset[str], stems: Stems) -> dict[int, frozenset[str]]:
    """Return which of *words*, those of *text*, stand for which of *terms*, by number and in order."""
    if not text.isascii():
        return _found_by(words, range(len(words)), terms, stems)
    # Most words are found by their own stem and by nothing else; of those it was just looked up.
    own = enumerate(stems.of_text(text))
    hits = {place: frozenset((stem,)) for place, stem in own if stem in terms}
    others = [place for place, word in enumerate(words) if word in BASE_FORMS or not word.islower()]
    hits |= _found_by(words, others, terms, stems)
    return dict(sorted(hits.items()))


def _found_by(
    words: list[str], places: Iterable[int], terms: frozenset[str], stems: Stems
) -> dict[int, frozenset[str]]:
    """Return which of *terms* the words at *places* are found by, where they are by any."""
    return {place: meant for place in places if (meant := stems.of_word(words[place]) & terms)}


def snippet(text: str, words: Words) -> str:
    """Return the part of *text* with the most of the terms that *words* stand for, or its beginning.

    At most SNIPPET_CHARACTERS characters of the text on one line, longer only where one word is longer.
    """
    starts, ends, hits = words
    if not starts:
        return _line(text)[:SNIPPET_CHARACTERS]
    first, last = _window(words)
    is_whole = last == len(starts) - 1
    at = starts[first] if first else 0
    pieces: list[str] = []
    for hit in hits:
        if first <= hit <= last:
            pieces += (text[at : starts[hit]], MARK, text[starts[hit] : ends[hit]], MARK)
            at = ends[hit]
    pieces.append(text[at:] if is_whole else text[at : ends[last]])
    return (ELLIPSIS if first else "") + _line("".join(pieces)) + ("" if is_whole else ELLIPSIS)


def _window(words: Words) -> tuple[int, int]:
    """Return the first and last word of the window with the most different terms, then the most hits."""
    starts, ends, hits = words
    places = list(hits)
    best, best_score = (0, _reach(words, 0)), (0, 0)
    for hit in hits:
        first = bisect_left(starts, starts[hit] - SNIPPET_CHARACTERS // 4, hi=hit)
        last = _reach(words, first)
        if last == len(starts) - 1:
            # No text is left behind it, so there is room before it.
            first = min(last, bisect_left(starts, ends[last] - SNIPPET_CHARACTERS))
        inside = [hits[place] for place in places[bisect_left(places, first) : bisect_right(places, last)]]
        score = (len(frozenset[str]().union(*inside)), len(inside))
        if score > best_score:
            best, best_score = (first, last), score
        if len(inside) == len(hits):
            break  # no other window holds more
    return best


def _reach(words: Words, first: int) -> int:
    """Return the last word that fits a window starting at *first*; that one, if it is longer."""
    return max(first, bisect_right(words.ends, words.starts[first] + SNIPPET_CHARACTERS) - 1)


def _line(text: str) -> str:
    return " ".join(text.split())
