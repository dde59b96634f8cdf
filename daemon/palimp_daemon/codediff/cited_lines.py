"""Follow cited lines and definitions between versions of a file.

A definition is its line (`normalize.definitions`), all lines below with more indentation, and the closing one: good for
half-written files in any language. Lines cited by number must stand together in the newer version: where a diff puts
them, or anywhere if one is unique.
"""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final, NamedTuple

from palimp_daemon.codediff.diff import common_ends
from palimp_daemon.codediff.normalize import LINE_CHARACTERS_MAX, definitions, is_significant

DEFINITIONS_MAX: Final = 8
"""Definitions read of a name per file; one with more (`__init__`) says nothing without its class."""

SEGMENT_LINES_MAX: Final = 3_000
"""Lines of a definition; more are a file."""

FILE_LINES_MAX: Final = 20_000
"""Longer files are skipped."""

COMPARED_CELLS_MAX: Final = 2_000_000
"""Product of two versions' lines, common ends excluded, up to which they are aligned: some tenths of a second."""

REWRITTEN_SHARE: Final = 0.25
"""A file that keeps less of its lines counts as rewritten."""

REWRITTEN_LINES_MIN: Final = 8
"""Significant lines needed for that: a share of fewer says little."""

NAMES_CACHED: Final = 256
"""Names with cached patterns."""

_CLOSING: Final = re.compile(r"[\])}>]|end\b|else\b|elif\b|elsif\b|except\b|finally\b|rescue\b|catch\b|\{")
_ASSIGNED: Final = (
    r"^\s*(?:export\s+|pub\s+|static\s+|final\s+|readonly\s+|self\.)*{name}\s*(?::(?!:)[^=]*)?(?:=(?!=)|:\s|:$)"
)
_TYPED: Final = re.compile(r"\s*([A-Za-z_]\w*)[\w\s*&:<>,\[\]?.~@]*?[\s*&:>\]~](\w+)\s*\(([^;={}]*)(\{)?$")
"""A function behind its return type, as in C, C++, Java and C#."""

_NO_TYPE: Final = frozenset(
    {
        "return",
        "else",
        "if",
        "while",
        "for",
        "switch",
        "await",
        "new",
        "throw",
        "yield",
        "case",
        "catch",
        "not",
        "and",
        "or",
        "assert",
        "del",
    }
)
_LONG_STRING: Final = re.compile(r"\"\"\"|'''")


class Span(NamedTuple):
    """A half-open range of lines, from 0."""

    start: int
    end: int


def split_lines(text: str) -> list[str]:
    """Split *text* into lines without trailing white space; [] above FILE_LINES_MAX lines."""
    lines = [line.rstrip() for line in text.split("\n")]
    return lines if len(lines) <= FILE_LINES_MAX else []


def definitions_in(lines: Sequence[str], name: str, within: str = "") -> list[Span]:
    """Find the definitions of *name*; *within*: only inside definitions of that name."""
    spans = [_definition_at(lines, at) for at in _defining_lines(lines, name)]
    if within:
        around = [_definition_at(lines, at) for at in _defining_lines(lines, within)]
        spans = [each for each in spans if any(o.start < each.start < o.end for o in around)]
    return spans[:DEFINITIONS_MAX]


def segment_key(lines: Sequence[str], span: Span) -> str:
    """Return the text of a definition without its common indentation."""
    part = lines[span.start : span.end]
    indents = [len(line) - len(line.lstrip()) for line in part if line]
    shared = min(indents, default=0)
    return "\n".join(line[shared:] for line in part)


def same_definitions(before: Sequence[str], after: Sequence[str], name: str, within: str = "") -> bool | None:
    """Compare the definitions of *name* in two versions; None if the newer lacks it."""
    was = definitions_in(before, name, within)
    now = definitions_in(after, name, within)
    if was and not now:
        return None
    keys = {segment_key(after, span) for span in now}
    return all(segment_key(before, span) in keys for span in was)


def follow_lines(before: Sequence[str], after: Sequence[str], span: Span) -> Span | None:
    """Find the lines at *span* of *before* in *after*; None if changed."""
    if span.start >= span.end or span.end > len(before):
        return None
    start, end = common_ends(before, after)
    if span.end <= start:
        return span
    if span.start >= len(before) - end:
        moved = len(after) - len(before)
        return Span(span.start + moved, span.end + moved)
    return _find_by_unique_line(before, after, span) or _align_span(before, after, span, (start, end))


def is_rewritten(before: Sequence[str], after: Sequence[str]) -> bool:
    """Tell whether *after* keeps less than REWRITTEN_SHARE of *before*'s significant lines."""
    telling = {line.strip() for line in before if is_significant(line)}
    if len(telling) < REWRITTEN_LINES_MIN:
        return False
    left = telling & {line.strip() for line in after}
    return len(left) < REWRITTEN_SHARE * len(telling)


def assigns(line: str, name: str) -> bool:
    """Tell whether *line* assigns a value to *name*."""
    return bool(_assignment_pattern(name).match(line[:LINE_CHARACTERS_MAX]))


def defines(line: str, name: str) -> bool:
    """Tell whether *line* defines the function, class, type or constant *name*."""
    if name in definitions(line):
        return True
    match = _TYPED.match(line[:LINE_CHARACTERS_MAX])
    if match is None or match[2] != name or match[1] in _NO_TYPE:
        return False
    # Its brace may stand on the next line, where a call would stand further in.
    return bool(match[4]) or (line[:1].isalpha() and match[3].rstrip().endswith(")"))


@lru_cache(maxsize=NAMES_CACHED)
def _assignment_pattern(name: str) -> re.Pattern[str]:
    return re.compile(_ASSIGNED.replace("{name}", re.escape(name)))


def _defining_lines(lines: Sequence[str], name: str) -> list[int]:
    having = [at for at, line in enumerate(lines) if name in line]
    found = [at for at in having if defines(lines[at], name)]
    if not found:
        found = [at for at in having if assigns(lines[at], name)]
    return found[: DEFINITIONS_MAX * 2]


def _definition_at(lines: Sequence[str], at: int) -> Span:
    indent = _indent(lines[at])
    end = at + 1
    is_in_string = _is_string_open_after(lines[at], is_open=False)
    last = min(len(lines), at + SEGMENT_LINES_MAX)
    for number in range(at + 1, last):
        line = lines[number]
        own = _indent(line)
        if line and not is_in_string and own <= indent and not (own == indent and _CLOSING.match(line.lstrip())):
            break
        if line:
            end = number + 1
        is_in_string = _is_string_open_after(line, is_open=is_in_string)
    return Span(at, end)


def _is_string_open_after(line: str, *, is_open: bool) -> bool:
    if '"""' not in line and "'''" not in line:
        return is_open
    return is_open ^ (len(_LONG_STRING.findall(line)) % 2 == 1)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _find_by_unique_line(before: Sequence[str], after: Sequence[str], span: Span) -> Span | None:
    part = before[span.start : span.end]
    for place, line in enumerate(part):
        if is_significant(line) and before.count(line) == 1 and after.count(line) == 1:
            start = after.index(line) - place
            there = Span(start, start + len(part))
            is_same = start >= 0 and list(after[there.start : there.end]) == list(part)
            return there if is_same and _shares_neighbour(before, span, after, there) else None
    return None


def _shares_neighbour(before: Sequence[str], span: Span, after: Sequence[str], there: Span) -> bool:
    above = span.start > 0 and there.start > 0 and before[span.start - 1] == after[there.start - 1] != ""
    return above or (before[span.end : span.end + 1] == after[there.end : there.end + 1] not in ([], [""]))


def _align_span(before: Sequence[str], after: Sequence[str], span: Span, ends: tuple[int, int]) -> Span | None:
    start, end = ends
    old, new = before[start : len(before) - end], after[start : len(after) - end]
    if len(old) * len(new) > COMPARED_CELLS_MAX:
        return None
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    # From the beginning and the end the lines are the same, too.
    blocks = [(0, 0, start), *((a + start, b + start, n) for a, b, n in matcher.get_matching_blocks())]
    blocks.append((len(before) - end, len(after) - end, end))
    joined: list[tuple[int, int, int]] = []
    for block in (each for each in blocks if each[2]):
        if joined and (joined[-1][0] + joined[-1][2], joined[-1][1] + joined[-1][2]) == block[:2]:
            joined[-1] = (joined[-1][0], joined[-1][1], joined[-1][2] + block[2])
        else:
            joined.append(block)
    for a, b, n in joined:
        if a <= span.start and span.end <= a + n:
            return Span(b + span.start - a, b + span.end - a)
    return None
