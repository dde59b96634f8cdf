"""`<private>…</private>`: the user's mark for text not to be stored.

A pair drops its content and may hold others. One never closed, at a line's beginning, drops the rest, as its end was
forgotten or cut off. Elsewhere, quoted, or alone in a code fence, it is text about the mark.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

_MARK: Final = re.compile(r"(?i)<\s{0,20}+(?P<slash>/?)\s{0,20}+private(?:\s[^<>]{0,200}+)?>")
_FENCE: Final = re.compile(r"(?m)^[ \t>]{0,20}(?P<fence>`{3,}+|~{3,}+)(?P<language>[^\n`]*+)$")
_QUOTES: Final = {"`": "`", '"': '"', "'": "'", "“": "”", "„": "“”", "‘": "’", "«": "»", "「": "」", "‹": "›", "*": "*"}

INDENT_MAX: Final = 400
"""White space before a mark that begins its line."""


class _Mark(NamedTuple):
    start: int
    end: int
    closes: bool


class _Part(NamedTuple):
    start: int
    end: int


def without_private(text: str) -> str:
    """Return *text* without private parts."""
    if "<" not in text:
        return text
    marks = [_Mark(found.start(), found.end(), bool(found["slash"])) for found in _MARK.finditer(text)]
    if not marks:
        return text
    meant = _outside_bare_fences(text, [mark for mark in marks if not _is_quoted(text, mark)])
    kept: list[str] = []
    reached = 0
    for part in sorted(_parts(text, meant)):
        if part.end > reached:
            kept.append(text[reached : part.start])
            reached = part.end
    return "".join([*kept, text[reached:]])


def _parts(text: str, marks: list[_Mark]) -> Iterator[_Part]:
    opened: list[_Mark] = []
    last = 0
    for mark in marks:
        if not mark.closes:
            opened.append(mark)
        elif opened:
            last = mark.end
            yield _Part(opened.pop().start, mark.end)
    for mark in opened:
        if not _begins_line(text, mark):
            continue
        # Of two that are open, one at the beginning of a line holds the other with its end.
        yield _Part(mark.start, last if last > mark.start else len(text))


def _outside_bare_fences(text: str, marks: list[_Mark]) -> list[_Mark]:
    fences = list(_fences(text)) if marks else []
    within: dict[_Part, list[_Mark]] = {}
    for mark in marks:
        if fence := _fence_around(fences, mark):
            within.setdefault(fence, []).append(mark)
    shown: set[_Mark] = set()
    for fence, inside in within.items():
        rest = text[fence.start : inside[0].start], text[inside[-1].end : fence.end]
        between = (text[one.end : other.start] for one, other in pairwise(inside))
        if not any(each.strip(" \t\r\n>`~") for each in (*rest, *between)):
            shown.update(inside)
    return [mark for mark in marks if mark not in shown]


def _fences(text: str) -> Iterator[_Part]:
    opened: re.Match[str] | None = None
    for found in _FENCE.finditer(text):
        if opened is None:
            opened = found
        elif found["fence"].startswith(opened["fence"]) and not found["language"].strip():
            yield _Part(opened.end(), found.start())
            opened = None
    if opened:
        yield _Part(opened.end(), len(text))


def _fence_around(fences: list[_Part], mark: _Mark) -> _Part | None:
    at = bisect_right(fences, mark.start, key=lambda fence: fence.start) - 1
    return fences[at] if at >= 0 and mark.end <= fences[at].end else None


def _is_quoted(text: str, mark: _Mark) -> bool:
    before, after = text[mark.start - 1 : mark.start] if mark.start else "", text[mark.end : mark.end + 1]
    return bool(before and after) and after in _QUOTES.get(before, "")


def _begins_line(text: str, mark: _Mark) -> bool:
    first = max(0, mark.start - INDENT_MAX)
    _, broken, indent = text[first : mark.start].rpartition("\n")
    return bool(broken or not first) and not indent.strip()
