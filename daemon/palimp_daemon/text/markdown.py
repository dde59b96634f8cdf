"""Split markdown by headings into sections and pages.

markdown-it-py's block pass (CommonMark, 10 MB/s) finds headings outside lists and quotations. A parsed text takes up to
a hundred times its size, so long ones are parsed in windows, from the start of the block that the last one cut.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Final, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from palimp_protocol.limits import CHARACTERS_PER_TOKEN, ITEM_TOKENS_MAX, TITLE_CHARACTERS_MAX

PAGE_CHARACTERS: Final = (ITEM_TOKENS_MAX - 200) * CHARACTERS_PER_TOKEN
"""Characters of a page: one item's budget, less words around it."""

PASSAGE_CHARACTERS: Final = 4_000
"""Longer sections are searched in parts: their words weigh little, and reading takes long."""

_FRONT_MATTER: Final = re.compile(r"---[ \t]*\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\n|\Z)")
_FRONT_MATTER_CHARACTERS: Final = 16_000
"""Characters within which front matter must end."""

_FRONT_TITLE: Final = re.compile(r"""^title:[ \t]*(["']?)(.+?)\1[ \t]*$""", re.MULTILINE)


class Section(NamedTuple):
    """A heading and the text up to the next one. *line* counts from 1."""

    heading: str
    line: int
    text: str


def sections_of(text: str) -> list[Section]:
    """Return the sections of *text*; the first may have an empty heading."""
    lines = text.splitlines(keepends=True)
    begins = [*_headings(text), ("", len(lines))]
    sections = [Section("", 1, "".join(lines[: begins[0][1]]))] if begins[0][1] else []
    for (heading, first), (_, behind) in pairwise(begins):
        sections.append(Section(heading, first + 1, "".join(lines[first:behind])))
    return sections


def _headings(text: str) -> list[tuple[str, int]]:
    if not _MAY_BE_HEADING.search(text):
        return []
    lines = text.splitlines()
    place = _front_matter(text).count("\n")
    found: list[tuple[str, int]] = []
    room, fence = WINDOW_CHARACTERS, ""
    while place < len(lines):
        if fence:
            place = _behind_fence(lines, place, fence)
        end = _window(lines, place, room)
        tokens = _parser().parse("\n".join(lines[place:end]) + "\n")
        blocks = [token for token in tokens if token.level == 0 and token.map and token.nesting >= 0]
        last = blocks[-1] if blocks else None
        seen = last.map[0] if last and last.map and end < len(lines) else end - place
        if not seen and room < WINDOW_CHARACTERS_MAX:
            room, fence = room * 2, ""
            continue
        fence = last.markup if last and not seen and last.type == "fence" else ""
        seen = seen or end - place
        found += [(heading, place + line) for heading, line in _headings_in(tokens) if line < seen]
        place, room = place + seen, WINDOW_CHARACTERS
    return found


def _headings_in(tokens: list[Token]) -> Iterator[tuple[str, int]]:
    for opening, inline in pairwise(tokens):
        if opening.type == "heading_open" and opening.level == 0 and opening.map:
            yield " ".join(inline.content.split()), opening.map[0]


def _window(lines: list[str], place: int, room: int) -> int:
    end = place
    while end < len(lines) and (room > 0 or end == place):
        room -= len(lines[end]) + 1
        end += 1
    return end


def _behind_fence(lines: list[str], place: int, fence: str) -> int:
    end = re.compile(rf" {{0,3}}{re.escape(fence[0])}{{{len(fence)},}}[ \t]*")
    return next((number + 1 for number in range(place, len(lines)) if end.fullmatch(lines[number])), len(lines))


WINDOW_CHARACTERS: Final = 64_000
WINDOW_CHARACTERS_MAX: Final = 256_000
"""Characters parsed at once, at first and for a longer block: 20 and 80 MB at worst."""


_MAY_BE_HEADING: Final = re.compile(r"(?:^|[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029]) {0,3}[#=-]", re.MULTILINE)
"""Pre-filter that spares most texts without headings the parser."""


def _front_matter(text: str) -> str:
    found = _FRONT_MATTER.match(text[:_FRONT_MATTER_CHARACTERS])
    return found[0] if found else ""


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def title_of(text: str, otherwise: str) -> str:
    """Return the title of *text*: from front matter, the first heading, or *otherwise*."""
    if match := _FRONT_TITLE.search(_front_matter(text)):
        return match[2].strip()[:TITLE_CHARACTERS_MAX]
    headings = (section.heading for section in sections_of(text) if section.heading)
    return next(headings, otherwise)[:TITLE_CHARACTERS_MAX]


def pages_of(text: str) -> list[str]:
    """Split *text* into pages of whole sections; longer sections are cut between lines."""
    pages: list[str] = []
    page = ""
    for piece in (piece for section in sections_of(text) for piece in _pieces(section.text, PAGE_CHARACTERS)):
        if page and len(page) + len(piece) > PAGE_CHARACTERS:
            pages.append(page)
            page = ""
        page += piece
    return [*pages, page] if page or not pages else pages


def passages_of(text: str) -> list[Section]:
    """Return the sections of *text*, long ones in parts, for the search."""
    passages: list[Section] = []
    for heading, first, content in sections_of(text):
        line = first
        for piece in _pieces(content, PASSAGE_CHARACTERS):
            passages.append(Section(heading, line, piece))
            line += len(piece.splitlines()) - (not piece.endswith("\n"))
    return passages


def _pieces(text: str, most: int) -> list[str]:
    if len(text) <= most:
        return [text]
    pieces: list[str] = []
    piece = ""
    for part in (part for line in text.splitlines(keepends=True) for part in _parts(line, most)):
        if piece and len(piece) + len(part) > most:
            pieces.append(piece)
            piece = ""
        piece += part
    return [*pieces, piece]


def _parts(line: str, most: int) -> Iterator[str]:
    start = 0
    while len(line) - start > most:
        end = line.rfind(" ", start, start + most) + 1 or start + most
        yield line[start:end]
        start = end
    yield line[start:]
