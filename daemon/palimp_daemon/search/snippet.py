"""Snippets: about a hundred characters around the words that matched, marked, and no word cut.

Words are compared as the index sees them (folded, stemmed, irregular forms and parts of identifiers brought to
their base), so a search for `run` marks `running`, one for `choose` marks `chose`, and one for `user` marks
`getUserName`. A snippet is of the text unless only another field matched, whose name then stands before it.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from palimp_daemon.search.stems import ASCII_WORD, WORD, Stems

SNIPPET_CHARACTERS: Final = 100
MARK: Final = "**"
ELLIPSIS: Final = "…"


Span = tuple[int, int]
"""Where a word starts and ends in a text."""


class Words(NamedTuple):
    """The words of a text, and which of them stand for terms that were searched for."""

    spans: list[Span]
    hits: dict[int, frozenset[str]]
    """By place in *spans*, in order."""


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
    pattern = ASCII_WORD if text.isascii() else WORD
    words = pattern.findall(text)
    meant = {word: stems.of_word(word) & terms for word in set(words) if not terms.isdisjoint(stems.of_word(word))}
    hits = {place: meant[word] for place, word in enumerate(words) if word in meant} if meant else {}
    return Words([match.span() for match in pattern.finditer(text)], hits)


def snippet(text: str, words: Words) -> str:
    """Return the part of *text* with the most of the terms that *words* stand for, or its beginning.

    At most SNIPPET_CHARACTERS characters of the text on one line, longer only where one word is longer.
    """
    spans, hits = words
    if not spans:
        return _line(text)[:SNIPPET_CHARACTERS]
    first, last = _window(spans, hits)
    is_whole = last == len(spans) - 1
    at = spans[first][0] if first else 0
    pieces: list[str] = []
    for start, end in (spans[hit] for hit in hits if first <= hit <= last):
        pieces += (text[at:start], MARK, text[start:end], MARK)
        at = end
    pieces.append(text[at:] if is_whole else text[at : spans[last][1]])
    return (ELLIPSIS if first else "") + _line("".join(pieces)) + ("" if is_whole else ELLIPSIS)


def _window(spans: Sequence[Span], hits: Mapping[int, frozenset[str]]) -> tuple[int, int]:
    """Return the first and last word of the window with the most different terms, then the most hits."""
    best, best_score = (0, _reach(spans, 0)), (0, 0)
    for hit in hits:
        first = _widen(spans, hit)
        last = _reach(spans, first)
        if last == len(spans) - 1:
            first = _reach_back(spans, last)  # no text is left behind it, so there is room before it
        inside = [terms for place, terms in hits.items() if first <= place <= last]
        score = (len(frozenset[str]().union(*inside)), len(inside))
        if score > best_score:
            best, best_score = (first, last), score
    return best


def _widen(spans: Sequence[Span], hit: int) -> int:
    """Return the word at which a window around *hit* starts: a quarter of the window before it."""
    first = hit
    while first and spans[hit][0] - spans[first - 1][0] <= SNIPPET_CHARACTERS // 4:
        first -= 1
    return first


def _reach(spans: Sequence[Span], first: int) -> int:
    """Return the last word that fits a window starting at *first*."""
    last = first
    while last + 1 < len(spans) and spans[last + 1][1] - spans[first][0] <= SNIPPET_CHARACTERS:
        last += 1
    return last


def _reach_back(spans: Sequence[Span], last: int) -> int:
    """Return the first word that fits a window ending at *last*."""
    first = last
    while first and spans[last][1] - spans[first - 1][0] <= SNIPPET_CHARACTERS:
        first -= 1
    return first


def _line(text: str) -> str:
    return " ".join(text.split())
