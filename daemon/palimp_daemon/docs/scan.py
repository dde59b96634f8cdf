"""Line search: a text or an RE2 pattern in documents, in time linear in their length.

RE2 has no lookaround and no backreferences; that is what makes its time linear, and what an error says.
"""

import bisect
import re
from typing import Any, Final, NamedTuple

import re2  # pyright: ignore[reportMissingTypeStubs]  it ships none

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import DOC_SNIPPET_CHARACTERS

MEMORY_BYTES: Final = 8 * 1024 * 1024
"""What RE2 may use for one pattern; larger ones are refused."""

_UNSUPPORTED: Final = re.compile(r"\(\?<?[=!]|\\[1-9]|\(\?P=")


class LineMatch(NamedTuple):
    """The first match in one line, which counts from 1."""

    line_number: int
    snippet: str


class Pattern:
    """What is searched for."""

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

    def lines(self, text: str) -> list[LineMatch]:
        """Return the lines of *text* that match, in order."""
        found: list[LineMatch] = []
        starts = [0, *(match.end() for match in re.finditer("\n", text))]
        last = 0
        for match in self._compiled.finditer(text):
            number = bisect.bisect_right(starts, match.start())
            if number == last or (match.start() == len(text) > 0 and text.endswith("\n")):
                continue
            last = number
            begin = starts[number - 1]
            end = starts[number] - 1 if number < len(starts) else len(text)
            found.append(LineMatch(number, centred(text[begin:end], match.start() - begin, match.end() - begin)))
        return found


def centred(line: str, start: int, end: int) -> str:
    """Return at most DOC_SNIPPET_CHARACTERS of *line* around *start* to *end*, no character cut from its accents."""
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
    """Tell whether *character* belongs to the one before it: an accent, a variation, a joiner."""
    code = ord(character)
    return 0x300 <= code <= 0x36F or 0xFE00 <= code <= 0xFE0F or code in (0x200D, 0x20E3) or 0x1F3FB <= code <= 0x1F3FF


def _refusal(pattern: str, error: Exception) -> PalimpError:
    reason = error.args[0] if error.args else error
    text = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
    if found := _UNSUPPORTED.search(pattern):
        hint = "RE2 has no lookaround and no backreferences; search for a part, or without is_regex."
        return PalimpError(
            ErrorCode.BAD_REQUEST, f"pattern: {found[0]!r} at character {found.start() + 1} is not supported.", hint
        )
    return PalimpError(
        ErrorCode.BAD_REQUEST, f"pattern: {text}.", "See RE2's syntax; without is_regex every character is itself."
    )
