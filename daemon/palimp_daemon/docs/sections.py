"""Markdown: its title, its sections by heading, its pages."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from palimp_protocol.limits import CHARACTERS_PER_TOKEN, ITEM_TOKENS_MAX, TITLE_CHARACTERS_MAX

PAGE_CHARACTERS: Final = (ITEM_TOKENS_MAX - 200) * CHARACTERS_PER_TOKEN
"""One page: the budget of one item, with room for what is said around it."""

PASSAGE_CHARACTERS: Final = 4_000
"""A longer section is searched in parts: each of its words would weigh little, and looking at all of it takes long."""

_HEADING: Final = re.compile(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t#]*$")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_FRONT_TITLE: Final = re.compile(r"""^title:[ \t]*(["']?)(.+?)\1[ \t]*$""", re.MULTILINE)


class Section(NamedTuple):
    """A heading and what stands under it, to the next one. *line* counts from 1."""

    heading: str
    line: int
    text: str


def sections_of(text: str) -> list[Section]:
    """Return the sections of *text*; what stands before the first heading has an empty one."""
    sections: list[Section] = []
    heading, first, lines = "", 1, list[str]()
    fence = ""
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        if match := _FENCE.match(line):
            if not fence:
                fence = match[1]
            elif match[1].startswith(fence):
                fence = ""
        elif not fence and (match := _HEADING.match(line.rstrip("\n"))):
            if lines:
                sections.append(Section(heading, first, "".join(lines)))
            heading, first, lines = match[2], number, []
        lines.append(line)
    return [*sections, Section(heading, first, "".join(lines))] if lines else sections


def title_of(text: str, otherwise: str) -> str:
    """Return the title of *text*: from its front matter, else its first heading, else *otherwise*."""
    if text.startswith("---\n") and (end := text.find("\n---", 4)) > 0 and (match := _FRONT_TITLE.search(text[:end])):
        return match[2].strip()[:TITLE_CHARACTERS_MAX]
    headings = (section.heading for section in sections_of(text) if section.heading)
    return next(headings, otherwise)[:TITLE_CHARACTERS_MAX]


def pages_of(text: str) -> list[str]:
    """Return *text* in pages of whole sections; a section that is longer than a page is cut between lines."""
    pages: list[str] = []
    page = ""
    for piece in (piece for section in sections_of(text) for piece in _pieces(section.text, PAGE_CHARACTERS)):
        if page and len(page) + len(piece) > PAGE_CHARACTERS:
            pages.append(page)
            page = ""
        page += piece
    return [*pages, page] if page or not pages else pages


def passages_of(text: str) -> list[Section]:
    """Return the sections of *text* as they are searched: a long one in parts, each under its heading."""
    passages: list[Section] = []
    for heading, first, content in sections_of(text):
        line = first
        for piece in _pieces(content, PASSAGE_CHARACTERS):
            passages.append(Section(heading, line, piece))
            line += len(piece.splitlines()) - (not piece.endswith("\n"))
    return passages


def _pieces(text: str, most: int) -> list[str]:
    """Return *text* in pieces of at most *most* characters, cut between lines, or words, where that can be."""
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
    """Yield *line* in parts of at most *most* characters, cut behind a space where there is one."""
    start = 0
    while len(line) - start > most:
        end = line.rfind(" ", start, start + most) + 1 or start + most
        yield line[start:end]
        start = end
    yield line[start:]
