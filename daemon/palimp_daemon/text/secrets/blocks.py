r"""Find private keys in blocks: PEM, OpenSSH, SSH2, PGP, PuTTY, OpenVPN.

Blocks may be cut, indented, quoted or marked (`+`, `-`, `>`), with line breaks as `\n`. Certificates and public keys
stay.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator
from itertools import pairwise
from typing import Final, NamedTuple

from palimp_daemon.text.linear_patterns import linear
from palimp_daemon.text.secrets.secret_span import Span

BLOCK_CHARACTERS_MAX: Final = 64 * 1024
"""Characters of a block: an RSA key of 16,384 bits has 13,000; a PGP key ring more."""

_MARK: Final = linear(r"-{4,5} ?(?P<side>BEGIN|END) (?P<label>[A-Za-z0-9][A-Za-z0-9 .]*?) ?-{4,5}")
_PRIVATE: Final = re.compile(r"(?i)PRIVATE KEY|STATIC KEY")
_PPK: Final = linear(r"Private-Lines: *\d+")

_BREAK: Final = r"(?:\s|\\r|\\n|\\t|[-+>|#*\"'`,;()&]|//|\\|%0[aAdD]|&#1[03];)*"
"""Separator of a block's lines, in any notation."""

_HEADER: Final = r"(?:[A-Z][A-Za-z0-9-]{2,24}: [^\n\\]{0,200})"
_DATA: Final = r"(?:[A-Za-z0-9+/=_]{16,})"
_LAST: Final = r"(?=[A-Za-z+/]*[0-9+/=])(?:[A-Za-z0-9+/]{1,15}={0,2}|=[A-Za-z0-9+/]{4})(?=[\s\"'`\\]|\Z)"
_BODY: Final = re.compile(rf"(?:{_BREAK}(?:{_HEADER}|{_DATA}))*(?:{_BREAK}{_LAST})?")
_BODY_OF_PPK: Final = re.compile(rf"(?:{_BREAK}{_DATA})*(?:{_BREAK}{_LAST})?")
_LINE_OF_KEY: Final = re.compile(r"[A-Za-z0-9+/=]{16,}")
_DATA_LINE: Final = re.compile(r"[A-Za-z0-9+/=]{16,}")
_LAST_LINE: Final = re.compile(r"[A-Za-z0-9+/=]+")
_BROKEN: Final = re.compile(r"\\r\\n|\\n|\r?\n")
_PREFIX: Final = " \t+->|#*\"'`,"


class _Mark(NamedTuple):
    start: int
    end: int
    is_begin: bool
    is_private: bool


_LINE: Final = linear(r"(?m)^[ \t>+|\"'-]*(?P<data>[A-Za-z0-9+/]{64,76})[\\n\"',]*\r?$")
_WIDTHS: Final = frozenset({64, 70, 76})
"""Characters of a full line: PEM (RFC 7468), OpenSSH, MIME (RFC 2045)."""

LEADS: Final = (_LINE.pattern, "PRIVATE KEY", "tatic key", "Private-Lines")
"""RE2 pre-filters of this module: see `detect`."""

LINES_MIN: Final = 2
"""Full lines in a row that count as a key's middle: a diff of two keys lacks the equal marks."""


def blocks(text: str) -> Iterator[Span]:
    """Yield the private keys in *text*, with their marks."""
    yield from _middles(text)
    if "PRIVATE KEY" in text or "tatic key" in text:
        yield from _armoured_blocks(text)
    if "Private-Lines" in text:
        yield from _putty(text)


def _marks(text: str) -> list[_Mark]:
    marks = [
        _Mark(found.start(), found.end(), found["side"] == "BEGIN", bool(_PRIVATE.search(found["label"])))
        for found in _MARK.finditer(text)
    ]
    return [*marks, _Mark(len(text), len(text), is_begin=True, is_private=False)]


def _armoured_blocks(text: str) -> Iterator[Span]:
    marks = _marks(text)
    for mark, following in pairwise(marks):
        if mark.is_begin and mark.is_private:
            yield from _block_from_begin(text, mark, following)
    for previous, mark in pairwise([_Mark(0, 0, is_begin=True, is_private=False), *marks]):
        if not mark.is_begin and mark.is_private and not (previous.is_begin and previous.is_private):
            yield from _block_to_end(text, previous.end, mark)


def _block_from_begin(text: str, mark: _Mark, following: _Mark) -> Iterator[Span]:
    inside = text[mark.end : min(following.start, mark.end + BLOCK_CHARACTERS_MAX)]
    if following.is_private and not following.is_begin and following.start - mark.end <= BLOCK_CHARACTERS_MAX:
        if _LINE_OF_KEY.search(inside):
            yield Span(mark.start, following.end, "private-key")
        return
    body = _BODY.match(inside)
    if body and _LINE_OF_KEY.search(body.group()):
        yield Span(mark.start, mark.end + len(body.group().rstrip(" \t\r\n+->|\"'`,;")), "private-key")


def _block_to_end(text: str, floor: int, mark: _Mark) -> Iterator[Span]:
    start = mark.start
    floor = max(floor, start - BLOCK_CHARACTERS_MAX)
    lines = _BROKEN.split(text[floor:start])
    reached = start
    position = start
    for line in reversed(lines):
        bare = line.strip(_PREFIX)
        position -= len(line)
        if bare and not (_DATA_LINE if reached < start else _LAST_LINE).fullmatch(bare):
            break
        if bare and (at := text.find(bare, position, position + len(line))) >= 0:
            reached = at
        position -= _break_before(text, position, floor)
    if _LINE_OF_KEY.search(text[reached:start]):
        yield Span(reached, mark.end, "private-key")


def _break_before(text: str, position: int, floor: int) -> int:
    for each in ("\\r\\n", "\\n", "\r\n", "\n"):
        if position - len(each) >= floor and text.endswith(each, floor, position):
            return len(each)
    return 0


def _middles(text: str) -> Iterator[Span]:
    runs: list[list[tuple[int, int]]] = []
    for found in _LINE.finditer(text):
        if found.end(1) - found.start(1) not in _WIDTHS or not _is_mixed(found[1]):
            continue
        if runs and text[runs[-1][-1][1] : found.start(1)].strip(_PREFIX + "\r\n\\") in ("", "n"):
            runs[-1].append(found.span(1))
        else:
            runs.append([found.span(1)])
    known = [run for run in runs if len(run) >= LINES_MIN]
    if not known:
        return
    public = _public(text)
    begins = [first for first, _ in public]
    for run in known:
        start, end = run[0][0], run[-1][1]
        before = bisect_right(begins, start) - 1
        if before < 0 or public[before][1] < end:
            yield Span(start, end, "private-key")


def _public(text: str) -> list[tuple[int, int]]:
    marks = _marks(text)
    is_cut = not marks[0].is_begin and not marks[0].is_private
    spans = [
        (mark.end, following.start) for mark, following in pairwise(marks) if mark.is_begin and not mark.is_private
    ]
    return [(0, marks[0].start), *spans] if is_cut else spans


def _is_mixed(line: str) -> bool:
    return any(map(str.isupper, line)) and any(map(str.islower, line)) and any(map(str.isdigit, line))


def _putty(text: str) -> Iterator[Span]:
    for found in _PPK.finditer(text):
        body = _BODY_OF_PPK.match(text, found.end(), min(len(text), found.end() + BLOCK_CHARACTERS_MAX))
        if body and _LINE_OF_KEY.search(body.group()):
            yield Span(found.end(), body.end(), "private-key")
