"""Snippets: about a hundred characters around the words that matched, marked, and no word cut.

Words are compared as the index sees them (folded and stemmed), so a search for `run` marks `running`.
"""

from typing import Final

from palimp_daemon.search.engine import Token

SNIPPET_CHARACTERS: Final = 100
MARK: Final = "**"
ELLIPSIS: Final = "…"


def snippet(text: str, tokens: list[Token], terms: frozenset[str]) -> str:
    """Return the part of *text* with the most of *terms*, which *tokens* places, or its beginning.

    At most SNIPPET_CHARACTERS characters of the text on one line, longer only where one word is longer.
    """
    data = text.encode()
    first, last = _window(tokens, terms)
    if not tokens:
        return _line(text)[:SNIPPET_CHARACTERS]
    pieces: list[str] = []
    place = 0 if first == 0 else tokens[first].start
    for token in tokens[first : last + 1]:
        pieces.append(data[place : token.start].decode())
        word = data[token.start : token.end].decode()
        pieces.append(f"{MARK}{word}{MARK}" if token.term in terms else word)
        place = token.end
    is_whole = last == len(tokens) - 1
    if is_whole:
        pieces.append(data[place:].decode())
    line = _line("".join(pieces))
    return (ELLIPSIS if first else "") + line + ("" if is_whole else ELLIPSIS)


def _window(tokens: list[Token], terms: frozenset[str]) -> tuple[int, int]:
    """Return the first and last token of the window with the most different terms, then the most hits."""
    best, best_score = (0, 0), (-1, -1)
    hits = [index for index, token in enumerate(tokens) if token.term in terms] or [0]
    for hit in hits:
        first = _widen(tokens, hit)
        last = _reach(tokens, first)
        if last == len(tokens) - 1:
            first = _reach_back(tokens, last)  # no text is left behind it, so there is room before it
        inside = [tokens[index].term for index in hits if first <= index <= last and tokens]
        score = (len(set(inside)), len(inside))
        if score > best_score:
            best, best_score = (first, last), score
    return best


def _widen(tokens: list[Token], hit: int) -> int:
    """Return the token at which a window around *hit* starts: a quarter of the window before it."""
    first = hit
    while first and tokens[hit].start - tokens[first - 1].start <= SNIPPET_CHARACTERS // 4:
        first -= 1
    return first


def _reach(tokens: list[Token], first: int) -> int:
    """Return the last token that fits a window starting at *first*."""
    last = first
    while last + 1 < len(tokens) and tokens[last + 1].end - tokens[first].start <= SNIPPET_CHARACTERS:
        last += 1
    return last


def _reach_back(tokens: list[Token], last: int) -> int:
    """Return the first token that fits a window ending at *last*."""
    first = last
    while first > 0 and tokens[last].end - tokens[first - 1].start <= SNIPPET_CHARACTERS:
        first -= 1
    return max(first, 0)


def _line(text: str) -> str:
    return " ".join(text.split())
