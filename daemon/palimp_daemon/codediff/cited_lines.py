"""Which lines of a file a citation means, and whether they are the same in another version of it.

Theory
------
A name means the lines of its definition, read by the patterns for the common languages (`normalize.definitions`) and by
indentation: from the line that defines it to the last that stands further in, with what closes it. Strings of several
lines, whose text may stand further out, are followed in Python, where they are documentation. No parser is asked: a
file may be in any language, of any version of it, and half written.

Two versions of a definition are the same when their lines are, but for white space at their ends and an indentation
that all of them share: a method that moved into another class was not changed.

Lines that were cited by their numbers are the same where they still stand together in the newer version: at the place
that a comparison of the two gives them or, where one of them says something that no other line says, anywhere.
"""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Final, NamedTuple

from palimp_daemon.codediff.diff import common_ends
from palimp_daemon.codediff.normalize import LINE_CHARACTERS_MAX, definitions, is_significant

DEFINITIONS_MAX: Final = 8
"""Definitions of one name in a file that are looked at: one that has more (`__init__`) says nothing without its
class."""

SEGMENT_LINES_MAX: Final = 3_000
"""Lines that a definition may have: more is a file."""

FILE_LINES_MAX: Final = 20_000
"""Lines of a file beyond which it is not looked into."""

COMPARED_CELLS_MAX: Final = 2_000_000
"""Lines of one version times lines of the other, without what both begin and end with, up to which they are aligned:
some tenths of a second."""

REWRITTEN_SHARE: Final = 0.25
"""A file of which less than this share of its lines is left was rewritten."""

REWRITTEN_LINES_MIN: Final = 8
"""Lines that say something which a file must have had for that: of fewer, a share says little."""

NAMES_CACHED: Final = 256
"""Names whose patterns are kept."""

_CLOSING: Final = re.compile(r"[\])}>]|end\b|else\b|elif\b|elsif\b|except\b|finally\b|rescue\b|catch\b|\{")
_ASSIGNED: Final = (
    r"^\s*(?:export\s+|pub\s+|static\s+|final\s+|readonly\s+|self\.)*{name}\s*(?::(?!:)[^=]*)?(?:=(?!=)|:\s|:$)"
)
_TYPED: Final = re.compile(r"\s*([A-Za-z_]\w*)[\w\s*&:<>,\[\]?.~@]*?[\s*&:>\]~](\w+)\s*\(([^;={}]*)(\{)?$")
"""A function behind the type of what it returns, as C, C++, Java and C# have it."""

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
    """Lines of a file: the index of the first, from 0, and that behind the last."""

    start: int
    end: int


def split_lines(text: str) -> list[str]:
    """Return the lines of *text* without white space at their ends; none of a file that is too long to be looked at."""
    lines = [line.rstrip() for line in text.split("\n")]
    return lines if len(lines) <= FILE_LINES_MAX else []


def definitions_in(lines: Sequence[str], name: str, within: str = "") -> list[Span]:
    """Return where *name* is defined among *lines*, or only where that stands *within* a definition of that name."""
    spans = [_segment(lines, at) for at in _defining(lines, name)]
    if within:
        around = [_segment(lines, at) for at in _defining(lines, within)]
        spans = [each for each in spans if any(o.start < each.start < o.end for o in around)]
    return spans[:DEFINITIONS_MAX]


def segment_key(lines: Sequence[str], span: Span) -> str:
    """Return what two versions of a definition must have in common to be the same."""
    part = lines[span.start : span.end]
    indents = [len(line) - len(line.lstrip()) for line in part if line]
    shared = min(indents, default=0)
    return "\n".join(line[shared:] for line in part)


def same_definitions(before: Sequence[str], after: Sequence[str], name: str, within: str = "") -> bool | None:
    """Tell whether every definition of *name* is among those of a newer version; None: it is not defined any more."""
    was = definitions_in(before, name, within)
    now = definitions_in(after, name, within)
    if was and not now:
        return None
    keys = {segment_key(after, span) for span in now}
    return all(segment_key(before, span) in keys for span in was)


def followed(before: Sequence[str], after: Sequence[str], span: Span) -> Span | None:
    """Return where the lines at *span* of *before* are in *after*; None where they were changed."""
    if span.start >= span.end or span.end > len(before):
        return None
    start, end = common_ends(before, after)
    if span.end <= start:
        return span
    if span.start >= len(before) - end:
        moved = len(after) - len(before)
        return Span(span.start + moved, span.end + moved)
    return _found_elsewhere(before, after, span) or _aligned(before, after, span, (start, end))


def is_rewritten(before: Sequence[str], after: Sequence[str]) -> bool:
    """Tell whether little is left in *after* of the lines of *before* that say something."""
    telling = {line.strip() for line in before if is_significant(line)}
    if len(telling) < REWRITTEN_LINES_MIN:
        return False
    left = telling & {line.strip() for line in after}
    return len(left) < REWRITTEN_SHARE * len(telling)


def assigns(line: str, name: str) -> bool:
    """Tell whether a *line* gives a value to *name*."""
    return bool(_assigning(name).match(line[:LINE_CHARACTERS_MAX]))


def defines(line: str, name: str) -> bool:
    """Tell whether a *line* defines *name*: a function, a class, a type, a constant."""
    if name in definitions(line):
        return True
    match = _TYPED.match(line[:LINE_CHARACTERS_MAX])
    if match is None or match[2] != name or match[1] in _NO_TYPE:
        return False
    # Its brace may stand on the next line, where a call would stand further in.
    return bool(match[4]) or (line[:1].isalpha() and match[3].rstrip().endswith(")"))


@lru_cache(maxsize=NAMES_CACHED)
def _assigning(name: str) -> re.Pattern[str]:
    return re.compile(_ASSIGNED.replace("{name}", re.escape(name)))


def _defining(lines: Sequence[str], name: str) -> list[int]:
    """Return the indexes of the lines that define *name*; where none does, of those that give it a value."""
    having = [at for at, line in enumerate(lines) if name in line]
    found = [at for at in having if defines(lines[at], name)]
    if not found:
        found = [at for at in having if assigns(lines[at], name)]
    return found[: DEFINITIONS_MAX * 2]


def _segment(lines: Sequence[str], at: int) -> Span:
    """Return the definition that begins with the line *at*."""
    indent = _indent(lines[at])
    end = at + 1
    is_in_string = _leaves_open(lines[at], is_open=False)
    last = min(len(lines), at + SEGMENT_LINES_MAX)
    for number in range(at + 1, last):
        line = lines[number]
        if line and not is_in_string and not _goes_on(line, indent):
            break
        if line:
            end = number + 1
        is_in_string = _leaves_open(line, is_open=is_in_string)
    return Span(at, end)


def _goes_on(line: str, indent: int) -> bool:
    """Tell whether *line* belongs to a definition that begins with that *indent*."""
    own = _indent(line)
    return own > indent or (own == indent and bool(_CLOSING.match(line.lstrip())))


def _leaves_open(line: str, *, is_open: bool) -> bool:
    """Tell whether a string of several lines is open behind *line*."""
    if '"""' not in line and "'''" not in line:
        return is_open
    return is_open ^ (len(_LONG_STRING.findall(line)) % 2 == 1)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _found_elsewhere(before: Sequence[str], after: Sequence[str], span: Span) -> Span | None:
    """Return where the lines at *span* stand in *after*, beside a line that they stood beside before.

    They must have a line that stands nowhere else in *before*, nor in *after*.
    """
    part = before[span.start : span.end]
    for place, line in enumerate(part):
        if is_significant(line) and before.count(line) == 1 and after.count(line) == 1:
            start = after.index(line) - place
            there = Span(start, start + len(part))
            is_same = start >= 0 and list(after[there.start : there.end]) == list(part)
            return there if is_same and _has_neighbour(before, span, after, there) else None
    return None


def _has_neighbour(before: Sequence[str], span: Span, after: Sequence[str], there: Span) -> bool:
    """Tell whether the line before or behind two spans is the same."""
    above = span.start > 0 and there.start > 0 and before[span.start - 1] == after[there.start - 1] != ""
    return above or (before[span.end : span.end + 1] == after[there.end : there.end + 1] not in ([], [""]))


def _aligned(before: Sequence[str], after: Sequence[str], span: Span, ends: tuple[int, int]) -> Span | None:
    """Return where *span* of *before* is in *after*, where both begin and end with so many lines in common."""
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
