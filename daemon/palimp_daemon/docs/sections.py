"""Markdown: its title, its sections by heading, its pages."""

import re
from typing import Final, NamedTuple

from palimp_protocol.limits import CHARACTERS_PER_TOKEN, ITEM_TOKENS_MAX, TITLE_CHARACTERS_MAX

PAGE_CHARACTERS: Final = (ITEM_TOKENS_MAX - 200) * CHARACTERS_PER_TOKEN
"""One page: the budget of one item, with room for what is said around it."""

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
    for piece in (piece for section in sections_of(text) for piece in _pieces(section.text)):
        if page and len(page) + len(piece) > PAGE_CHARACTERS:
            pages.append(page)
            page = ""
        page += piece
    return [*pages, page] if page or not pages else pages


def _pieces(text: str) -> list[str]:
    if len(text) <= PAGE_CHARACTERS:
        return [text]
    pieces: list[str] = []
    piece = ""
    for line in text.splitlines(keepends=True):
        for start in range(0, len(line), PAGE_CHARACTERS):
            part = line[start : start + PAGE_CHARACTERS]
            if piece and len(piece) + len(part) > PAGE_CHARACTERS:
                pieces.append(piece)
                piece = ""
            piece += part
    return [*pieces, piece]
