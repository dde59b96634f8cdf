"""Find the files, lines, names and commits that a text cites.

Names beside a file are only candidates: the tree shows whether they are defined there.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from palimp_daemon.text.named_subjects import Subjects
from palimp_daemon.text.written_paths import FILE_NAMES

PATHS_MAX: Final = 4
SYMBOLS_MAX: Final = 6
COMMITS_MAX: Final = 2
"""Commits looked up per text, the first; a text with more is a list."""

LINE_MAX: Final = 1_000_000
"""Larger numbers are no line numbers."""

PATH_CHARACTERS_MAX: Final = 400

CHARACTERS_MAX: Final = 8_000
"""Characters read of a text; hardly a memory is longer."""

_NUMBERS: Final = r"L?(\d{1,7})(?:\s?(?:-|–|to|\.\.)\s?L?(\d{1,7}))?"
_BEHIND: Final = re.compile(
    rf"[`'\"*]*+(?::|#|,?\s++(?:\(\s*+)?(?:(?:at|on|in|around)\s*+)?lines?\s++){_NUMBERS}(?![\w.]*\w)", re.IGNORECASE
)
_BEFORE: Final = re.compile(rf"(?<!\w)lines?\s+{_NUMBERS}\s+(?:of|in|at)\s+(?:the\s+file\s+)?[`'\"*]*\Z", re.IGNORECASE)
_BEFORE_CHARACTERS: Final = 48
_LINKED: Final = re.compile(r"(?<![\w:/.-])((?:[\w.-]{1,80}/){0,12}[\w.-]{1,80}\.\w{1,10})#L\d")

_LINE_AT_END: Final = re.compile(rf"(?::|#){_NUMBERS}(?::\d+)?\Z")
_NO_FILE: Final = re.compile(r"[*?{}\[\]<>|\"\\]|^~|(?:^|/)\.\.(?:/|$)")
"""Signs of a glob, another user's home, or a path that may lead anywhere."""

_PARTS: Final = re.compile(r"::|->|[.#/]")
_NAME: Final = re.compile(r"[^\W\d][\w$]*")


_DOTTED: Final = r"([^\W\d]\w{2,60}(?:(?:\.|::|#)[^\W\d]\w{0,60})*)"
_SAID: Final = (
    re.compile(rf"(?<!\w)(?:function|method|class|struct|constant|def|fn|func)\s+{_DOTTED}(?!\w)"),
    re.compile(rf"(?<![\w.:#]){_DOTTED}\s+(?:function|method|class|struct|constant)(?!\w)"),
)
"""A name called a function, class … in the text; its definition decides."""

_SAID_BY: Final = ("function", "method", "class", "struct", "constant", "def", "fn", "func")
"""Words of _SAID, without which a text is not searched."""


class Lines(NamedTuple):
    """Lines of a file, from 1; *last* is included."""

    path: str
    first: int
    last: int


class Symbol(NamedTuple):
    """A defined name and its class or module, if known."""

    name: str
    within: str = ""


class Citations(NamedTuple):
    """The citations of a text, in its order."""

    paths: tuple[str, ...] = ()
    lines: tuple[Lines, ...] = ()
    symbols: tuple[Symbol, ...] = ()
    commits: tuple[str, ...] = ()


NOTHING_CITED: Final = Citations()


_SIGN: Final = re.compile(r"[`/_]|\.\S|\(\)|[a-z0-9][A-Z][a-z0-9]|[0-9a-fA-F]{7}")
_WORDS_OF_SIGN: Final = (*FILE_NAMES, *_SAID_BY)


def may_cite(text: str) -> bool:
    """Tell in microseconds whether *text* may cite something."""
    return bool(_SIGN.search(text)) or any(word in text for word in _WORDS_OF_SIGN)


def citations_of(text: str, subjects: Subjects) -> Citations:
    """Return the citations of *text* and its *subjects*."""
    read = text[:CHARACTERS_MAX]
    linked = (found[1] for found in _LINKED.finditer(read)) if "#L" in read else ()
    named = list(dict.fromkeys(_LINE_AT_END.sub("", path) for path in (*subjects.paths, *linked)))
    paths = [path for path in named if _can_be_path(path)][:PATHS_MAX]
    lines = [each for path in paths for each in _lines_of(text, path)]
    patterns = _SAID if any(word in read for word in _SAID_BY) else ()
    said = (found[1] for pattern in patterns for found in pattern.finditer(read))
    symbols = (_symbol_of(each) for each in (*subjects.symbols, *said))
    return Citations(
        tuple(paths),
        tuple(dict.fromkeys(lines))[:PATHS_MAX],
        tuple(dict.fromkeys(each for each in symbols if each))[:SYMBOLS_MAX],
        tuple(dict.fromkeys(subjects.commits))[:COMMITS_MAX],
    )


def _can_be_path(path: str) -> bool:
    return 0 < len(path) <= PATH_CHARACTERS_MAX and path.isprintable() and not _NO_FILE.search(path)


def _lines_of(text: str, path: str) -> Sequence[Lines]:
    found: list[Lines] = []
    for start in _places_of(path, text[:CHARACTERS_MAX]):
        before = text[max(0, start - _BEFORE_CHARACTERS) : start]
        match = _BEHIND.match(text, start + len(path)) or _BEFORE.search(before)
        if match:
            first = int(match[1])
            last = int(match[2]) if match[2] else first
            if 1 <= first <= last <= LINE_MAX:
                found.append(Lines(path, first, last))
    return found


def _places_of(path: str, text: str) -> Iterator[int]:
    start = text.find(path)
    while start >= 0:  # no pattern: to compile one takes longer than all else that is done with a text
        end = start + len(path)
        is_whole = not (_is_of_path(text[start - 1 : start], "/.-") or _is_of_path(text[end : end + 1], "/-"))
        if is_whole:
            yield start
        start = text.find(path, end if is_whole else start + 1)


def _is_of_path(character: str, signs: str) -> bool:
    return bool(character) and (character.isalnum() or character == "_" or character in signs)


def _symbol_of(written: str) -> Symbol | None:
    parts = [part for part in _PARTS.split(written.strip("`*\"' ").partition("(")[0].strip()) if part]
    if not parts or not all(_NAME.fullmatch(part) for part in parts):
        return None
    return Symbol(parts[-1], parts[-2] if len(parts) > 1 else "")
