"""Snippets: about a hundred characters around the words that matched, marked, and no word cut.

Words are compared as the index sees them (folded and stemmed), so a search for `run` marks `running`.
"""

from typing import Final

from palimp_daemon.search.engine import Token

SNIPPET_CHARACTERS: Final = 100
MARK: Final = b"**"
ELLIPSIS: Final = "…"


def snippet(text: str, tokens: list[Token], terms: frozenset[str]) -> str:
    """Return the part of *text* with the most of *terms*, which *tokens* places, or its beginning.

    At most SNIPPET_CHARACTERS characters of the text on one line, longer only where one word is longer.
    """
    if not tokens:
        return _line(text)[:SNIPPET_CHARACTERS]
    hits = [index for index, token in enumerate(tokens) if token[2] in terms]
    first, last = _window(tokens, hits)
    is_whole = last == len(tokens) - 1
    data = text.encode()
    place = tokens[first][0] if first else 0
    pieces: list[bytes] = []
    for start, end, _ in (tokens[hit] for hit in hits if first <= hit <= last):
        pieces += (data[place:start], MARK, data[start:end], MARK)
        place = end
    pieces.append(data[place:] if is_whole else data[place : tokens[last][1]])
    line = _line(b"".join(pieces).decode())
    return (ELLIPSIS if first else "") + line + ("" if is_whole else ELLIPSIS)


def _window(tokens: list[Token], hits: list[int]) -> tuple[int, int]:
    """Return the first and last token of the window with the most different terms, then the most hits."""
    best, best_score = (0, _reach(tokens, 0)), (0, 0)
    for hit in hits:
        first = _widen(tokens, hit)
        last = _reach(tokens, first)
        if last == len(tokens) - 1:
            first = _reach_back(tokens, last)  # no text is left behind it, so there is room before it
        inside = [tokens[index][2] for index in hits if first <= index <= last]
        score = (len(set(inside)), len(inside))
        if score > best_score:
            best, best_score = (first, last), score
    return best


def _widen(tokens: list[Token], hit: int) -> int:
    """Return the token at which a window around *hit* starts: a quarter of the window before it."""
    first = hit
    while first and tokens[hit][0] - tokens[first - 1][0] <= SNIPPET_CHARACTERS // 4:
        first -= 1
    return first


def _reach(tokens: list[Token], first: int) -> int:
    """Return the last token that fits a window starting at *first*."""
    last = first
    while last + 1 < len(tokens) and tokens[last + 1][1] - tokens[first][0] <= SNIPPET_CHARACTERS:
        last += 1
    return last


def _reach_back(tokens: list[Token], last: int) -> int:
    """Return the first token that fits a window ending at *last*."""
    first = last
    while first and tokens[last][1] - tokens[first - 1][0] <= SNIPPET_CHARACTERS:
        first -= 1
    return first


def _line(text: str) -> str:
    return " ".join(text.split())
