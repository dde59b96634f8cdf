"""Cut snippets: about a hundred characters around the matches, marked, at word boundaries.

Words match as in the index: `user` marks `getUserName`. Most titles begin their text: a row shows both as one if that
has all matches, else title and snippet.
"""

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_daemon.search.cjk import UNSPACED_OR_WORD, UNSPACED_RUN
from palimp_daemon.search.match_positions import Mention, SearchStems, mentions
from palimp_daemon.search.stems import WORD, Stems
from palimp_daemon.text.titles import beyond_title, title_and_text

SNIPPET_CHARACTERS: Final = 100
BEFORE_CHARACTERS: Final = SNIPPET_CHARACTERS // 4
"""Characters shown before a snippet's match."""

LINE_CHARACTERS: Final = 180
"""Characters shown of a text's beginning in a row: a title and a snippet, or most memories whole."""

MARK: Final = "**"
ELLIPSIS: Final = "…"

_NO_STEMS: Final[frozenset[str]] = frozenset()


def field_snippet(fields: Sequence[tuple[str, str]], wanted: SearchStems, stems: Stems) -> str:
    """Return a snippet of the first of *fields* (name, text) that matches, else of the first.

    Every field but the first is named.
    """
    for number, (name, text) in enumerate(fields):
        if found := mentions(text, wanted, stems):
            shown = snippet(text, found)
            return f"[{name}] {shown}" if number else shown
    return snippet(fields[0][1], ())


class RowText(NamedTuple):
    """The text of a row: *line*, or if empty the title and *snippet*."""

    line: str
    """Beginning of title and text. Empty: the match is further on, or a separate title has none."""
    snippet: str
    """The text around the match, without the title's."""


def row_text(title: str, text: str, tags: str, wanted: SearchStems, stems: Stems, mark: str = MARK) -> RowText:
    """Return the text shown of a memory or section; *mark* surrounds each match."""
    beyond = beyond_title(title, text)
    rest = text if beyond is None else beyond.lstrip()
    whole = title_and_text(title, text)
    at = len(whole) - len(rest)
    found = mentions(whole, wanted, stems)
    behind = [mention for mention in found if mention.start >= at]
    if tags and not found and (in_tags := mentions(tags, wanted, stems)):
        return RowText("", f"[tags] {snippet(tags, in_tags, mark)}")
    in_rest = [Mention(each.start - at, each.end - at, each.stems) for each in behind]
    shown = snippet(rest, in_rest, mark) if rest else ""
    goes_on = beyond is not None and title.endswith(ELLIPSIS) and shown and not shown.startswith(ELLIPSIS)
    is_line = beyond is not None or (found and not behind)
    line = _line_from(whole, whole.find(title.rstrip(ELLIPSIS)), at, found, mark) if is_line else ""
    return RowText(line, ELLIPSIS + shown if goes_on else shown)


def _line_from(text: str, start: int, rest: int, found: Sequence[Mention], mark: str) -> str:
    """Return LINE_CHARACTERS from *start*; empty if a stem of *found* is only behind them."""
    end = _line_end(text, start)
    inside = [mention for mention in found if mention.end <= end]
    if _stems_of(found) != _stems_of(inside):
        return ""
    behind = [mention for mention in inside if mention.start >= rest]
    return _line(_mark_mentions(text, start, end, behind or inside, mark)) + ("" if end == len(text) else ELLIPSIS)


def _line_end(text: str, start: int) -> int:
    end = start + LINE_CHARACTERS
    if len(text.rstrip()) <= end:
        return len(text)
    while end > start and _is_in_word(text[end - 1]) and _is_in_word(text[end]) and not UNSPACED_RUN.match(text, end):
        end -= 1
    while end > start and not _is_in_word(text[end - 1]):
        end -= 1
    return end if end > start else start + LINE_CHARACTERS


def _stems_of(found: Sequence[Mention]) -> frozenset[str]:
    return _NO_STEMS.union(*[each.stems for each in found])


def snippet(text: str, found: Sequence[Mention], mark: str = MARK) -> str:
    """Return the part of *text* with most different stems of *found*, or its beginning, on one line.

    At most SNIPPET_CHARACTERS, but for a longer word.
    """
    first_word = WORD.search(text)
    if first_word is None:
        return _line(text)[:SNIPPET_CHARACTERS]
    start, end = _window(text, first_word.start(), found)
    is_whole = WORD.search(text, end) is None
    begin = start if start > first_word.start() else 0
    inside = [mention for mention in found if start <= mention.start and mention.end <= end]
    # Behind the last word stand only signs, which may be many.
    shown = _line(_mark_mentions(text, begin, max(end, begin + SNIPPET_CHARACTERS) if is_whole else end, inside, mark))
    return (ELLIPSIS if begin else "") + shown + ("" if is_whole else ELLIPSIS)


def _mark_mentions(text: str, start: int, end: int, found: Sequence[Mention], mark: str) -> str:
    pieces: list[str] = []
    for mention in found:
        if mention.start >= start:
            pieces += (text[start : mention.start], mark, text[mention.start : mention.end], mark)
            start = mention.end
    return "".join([*pieces, text[start:end]])


def _window(text: str, first: int, found: Sequence[Mention]) -> tuple[int, int]:
    starts, ends = [mention.start for mention in found], [mention.end for mention in found]
    best, best_score = (first, _reach(text, first)), (0, 0)
    for mention in found:
        start = _word_from(text, mention.start - BEFORE_CHARACTERS)
        end = _reach(text, start)
        if end - start < SNIPPET_CHARACTERS and WORD.search(text, end) is None:
            # No text is left behind it, so there is room before it.
            start = _word_from(text, end - SNIPPET_CHARACTERS)
        inside = found[bisect_left(starts, start) : bisect_right(ends, end)]
        if len(inside) == len(found):
            return start, end  # no other window holds more
        score = (len(_stems_of(inside)), len(inside))
        if score > best_score:
            best, best_score = (start, end), score
    return best


def _word_from(text: str, at: int) -> int:
    pattern = _pattern(text)
    if at > 0 and (cut := pattern.match(text, at - 1)) and cut.end() > at:
        at = cut.end()
    word = pattern.search(text, max(0, at))
    assert word  # noqa: S101  the caller knows of one
    return word.start()


def _reach(text: str, start: int) -> int:
    first = _pattern(text).match(text, start)
    assert first  # noqa: S101  a word starts there
    least, end = first.end(), min(start + SNIPPET_CHARACTERS, len(text))
    if end < len(text) and _is_in_word(text[end]) and not UNSPACED_RUN.match(text, end):
        while end > least and _is_in_word(text[end - 1]) and not UNSPACED_RUN.match(text, end - 1):
            end -= 1
    while end > least and not _is_in_word(text[end - 1]):
        end -= 1
    return max(least, end)


def _pattern(text: str) -> re.Pattern[str]:
    return WORD if text.isascii() else UNSPACED_OR_WORD


def _is_in_word(character: str) -> bool:
    return character.isalnum() or (character >= "\u0300" and unicodedata.category(character)[0] == "M")


def _line(text: str) -> str:
    return " ".join(text.split())
