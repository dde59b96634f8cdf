"""Search documents' lines for text or RE2 patterns, in linear time."""

import re
from typing import Any, Final, NamedTuple

import re2  # pyright: ignore[reportMissingTypeStubs]  it ships none

from palimp_daemon.text.linear_patterns import reason_of
from palimp_protocol.errors import PalimpError, RequestError
from palimp_protocol.limits import DOC_SNIPPET_CHARACTERS

MEMORY_BYTES: Final = 8 * 1024 * 1024
"""Bytes that RE2 may use for one pattern; larger ones are refused."""

_UNSUPPORTED: Final = re.compile(r"\(\?<?[=!]|\\[1-9]|\(\?P=")


class LineMatch(NamedTuple):
    """A line's first match, numbered from 1."""

    line_number: int
    snippet: str


class Pattern:
    """A compiled pattern."""

    def __init__(self, text: str, *, is_regex: bool, case_sensitive: bool) -> None:
        engine: Any = re2
        options = engine.Options()
        options.log_errors = False
        options.max_mem = MEMORY_BYTES
        options.never_nl = True
        options.case_sensitive = case_sensitive
        options.literal = not is_regex
        # Within a regular expression ^ and $ mean lines, as in grep.
        source = f"(?m:{text})" if is_regex else text
        try:
            if is_regex:
                engine.compile(text, options)  # alone first, so that an error is about what was written
            self._compiled = engine.compile(source, options)
        except engine.error as error:
            raise _refusal(text, error) from None

    def lines(self, data: bytes, shown_max: int, counted_max: int) -> tuple[list[LineMatch], int]:
        """Return the first *shown_max* matching lines of UTF-8 *data*, and their number up to *counted_max*."""
        data = data.replace(b"\r\n", b"\n")  # to RE2 a line ends at \n alone, and "$" stands before that
        found: list[LineMatch] = []
        count, number, begin, at = 0, 1, 0, 0
        while count < counted_max and at <= len(data) and (match := self._compiled.search(data, at)):
            start: int = match.start()
            if start == len(data) and data.endswith(b"\n"):
                break  # behind the last line
            number += data.count(b"\n", begin, start)
            begin = data.rfind(b"\n", 0, start) + 1
            end = data.find(b"\n", start)
            end = len(data) if end < 0 else end
            count += 1
            if len(found) < shown_max:
                before, inside, line = (
                    part.decode(errors="replace")
                    for part in (data[begin:start], data[start : match.end()], data[begin:end])
                )
                found.append(LineMatch(number, centre_snippet(line, len(before), len(before) + len(inside))))
            at = end + 1  # one match for each line is enough
        return found, count


def centre_snippet(line: str, start: int, end: int) -> str:
    """Cut *line* to DOC_SNIPPET_CHARACTERS around *start* to *end*, between characters."""
    line = line.rstrip("\r")
    stripped = line.strip()
    if len(stripped) <= DOC_SNIPPET_CHARACTERS:
        return stripped
    room = DOC_SNIPPET_CHARACTERS - 2  # for the ellipses
    first = max(0, min((start + min(end, start + room)) // 2 - room // 2, len(line) - room))
    last = min(len(line), first + room)
    while first < last and _continues(line[first]):
        first += 1
    while last > first and last < len(line) and _continues(line[last]):
        last -= 1
    return ("…" if first else "") + line[first:last].strip() + ("…" if last < len(line) else "")


def _continues(character: str) -> bool:
    code = ord(character)
    return 0x300 <= code <= 0x36F or 0xFE00 <= code <= 0xFE0F or code in (0x200D, 0x20E3) or 0x1F3FB <= code <= 0x1F3FF


def _refusal(pattern: str, error: Exception) -> PalimpError:
    if found := _UNSUPPORTED.search(pattern):
        hint = "RE2 has no lookaround and no backreferences; search for a part, or without is_regex."
        return RequestError(f"pattern: {found[0]!r} at character {found.start() + 1} is not supported.", hint)
    return RequestError(
        f"pattern: {reason_of(error)}.", "See RE2's syntax; without is_regex every character is itself."
    )
