"""Index scripts without spaces, such as Chinese and Thai, and Korean with its particles.

Each character is a token; queries use adjacent pairs, nearly as good as words (Kwok, SIGIR 1997).
"""

import re
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from typing import Final, NamedTuple

from stop_words import get_stop_words  # pyright: ignore[reportMissingTypeStubs]  typed inline

from palimp_daemon.search.characters import MARKS, SYMBOLS

NAME_CHARACTERS_MAX: Final = 8
"""Longest run between spaces or marks, in characters, that is also looked up whole, as a name."""

_HIRAGANA, _KATAKANA, _HAN, _KOREAN = "\u3040-\u309f", "\u30a0-\u30ff", "\u3400-\u4dbf\u4e00-\u9fff", "\uac00-\ud7af"
_OF_SOUTHEAST_ASIA = "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0ece\u1000-\u103f\u1050-\u108f\u1780-\u17d3\u17dc-\u17dd"
"""Letters, vowel signs and tone marks of Thai, Lao, Burmese and Khmer."""
_LETTERS: Final = _HIRAGANA + _KATAKANA + _HAN + _KOREAN + _OF_SOUTHEAST_ASIA
_CHARACTER: Final = re.compile(f"[{_LETTERS}]")
UNSPACED_RUN: Final = re.compile(f"[{_LETTERS}]+")
WORD_BESIDE: Final = re.compile(f"(?:(?![{_LETTERS}])[^\\W_]|(?![{_LETTERS}])[{MARKS}])+|[{SYMBOLS}]")
"""A word without any of these characters."""

UNSPACED_OR_WORD: Final = re.compile(f"[{_LETTERS}]|{WORD_BESIDE.pattern}")
"""Units of a text between which it may be cut."""

_PIECES: Final = re.compile(f"(?P<han>[{_HAN}]{{2,}})|(?P<katakana>[{_KATAKANA}]{{2,}})|(?P<korean>[{_KOREAN}]{{2,}})")


def unspaced_characters(text: str) -> list[str]:
    """Return the characters of *text* in scripts without spaces."""
    return _CHARACTER.findall(text)


def unspaced_phrases(text: str) -> list[str]:
    """Return *text* as phrases of characters: pairs, and short runs whole."""
    phrases: list[str] = []
    for run in UNSPACED_RUN.findall(text):
        if 2 < len(run) <= NAME_CHARACTERS_MAX:
            phrases.append(" ".join(run))
        phrases += [f"{one} {other}" for one, other in pairwise(run)] or [run]
    return phrases


def side_by_side(words: Iterable[str]) -> re.Pattern[str] | None:
    """Return a pattern of adjacent characters among *words*, if any.

    A single one matches only alone, or if no other is wanted.
    """
    characters = "".join(sorted(word for word in words if len(word) == 1 and _CHARACTER.match(word)))
    if len(characters) < 2:
        return re.compile(f"{characters}+") if characters else None
    return re.compile(f"[{characters}]{{2,}}|(?<![{_LETTERS}])[{characters}](?![{_LETTERS}])")


class Piece(NamedTuple):
    """A part of a text that may be its subject: offset and characters."""

    start: int
    text: str


def pieces_of(text: str) -> list[Piece]:
    """Return pairs of Chinese characters, katakana words, and beginnings (two characters) of Korean words.

    Each once, without stop words and hiragana.
    """
    found: dict[str, Piece] = {}
    for match in _PIECES.finditer(text):
        run, start = match[0], match.start()
        if match.lastgroup == "han":
            pairs = (Piece(start + at, run[at : at + 2]) for at in range(len(run) - 1))
            pieces = [pair for pair in pairs if not _saying_nothing().intersection(pair.text)]
        elif match.lastgroup == "korean":
            pieces = [] if _saying_nothing() & {run, run[:2]} else [Piece(start, run[:2])]
        else:
            pieces = [Piece(start, run)]
        for piece in pieces:
            found.setdefault(piece.text, piece)
    return list(found.values())


@cache
def _saying_nothing() -> frozenset[str]:
    return frozenset([*get_stop_words("chinese", cache=False), *get_stop_words("korean", cache=False)])
