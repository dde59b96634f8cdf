"""Versions of documents with several writers: a change names its base, and is refused if that changed.

A version is a digest of the text. A refusal tells the difference if the former text is known.
"""

import hashlib
from difflib import SequenceMatcher
from typing import Final

from palimp_daemon.runtime.bounded_dict import BoundedDict
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.text import count_of, quote_text

VERSION_DIGITS: Final = 10
"""Hexadecimal digits of a version: two texts of a document share one once in a million million."""

TEXTS_MAX: Final = 32
"""Remembered texts, of up to TEXT_CHARACTERS_REMEMBERED each: some megabytes."""

TEXT_CHARACTERS_REMEMBERED: Final = 100_000
"""Characters of a remembered text; comparing takes some hundredths of a second."""

LINES_SHOWN: Final = 5
"""Removed lines shown, and as many new ones."""

LINE_CHARACTERS: Final = 100
"""Characters of such a line."""


def version_of(text: str) -> str:
    """Return the version of *text*."""
    return hashlib.sha256(text.encode()).hexdigest()[:VERSION_DIGITS]


class ReadTexts:
    """The last read texts, by version."""

    def __init__(self) -> None:
        self._texts: BoundedDict[str, str] = BoundedDict(TEXTS_MAX)

    def remember(self, text: str) -> str:
        """Remember *text*, unless it is long; return its version."""
        version = version_of(text)
        if len(text) <= TEXT_CHARACTERS_REMEMBERED:
            self._texts[version] = text
        return version

    def text_of(self, version: str) -> str | None:
        """Return the text of *version*, if remembered."""
        return self._texts.get(version)


def changed_since(slug: str, before: str | None, now: str) -> PalimpError:
    """Return the refusal of a change of *slug*; *before*: the read text, if known."""
    told = f"{quote_text(slug)} was changed since it was read. {_difference(before, now)}".strip()
    return PalimpError(ErrorCode.CONFLICT, told, "Nothing was changed. read_doc shows it as it is, with its version.")


def _difference(before: str | None, now: str) -> str:
    if before is None or len(now) > TEXT_CHARACTERS_REMEMBERED:
        return ""
    old, new = before.splitlines(), now.splitlines()
    gone: list[str] = []
    added: list[str] = []
    for tag, first, last, start, end in SequenceMatcher(None, old, new).get_opcodes():
        if tag != "equal":
            gone += old[first:last]
            added += new[start:end]
    parts = [_lines("gone", gone), _lines("new", added)]
    return " ".join(part for part in parts if part)


def _lines(what: str, lines: list[str]) -> str:
    if not lines:
        return ""
    shown = [quote_text(line, LINE_CHARACTERS) for line in lines if line.strip()][:LINES_SHOWN]
    return f"{count_of(len(lines), 'line')} {what}{': ' if shown else ''}{', '.join(shown)}."
