"""Links (OSC 8) from a terminal to the page, while it is served.

No request asks: the daemon keeps that in a file. Without colours, or in a pipe, no link is printed.
"""

import re
from collections.abc import Mapping
from contextvars import ContextVar
from functools import cached_property
from pathlib import Path
from typing import Final
from urllib.parse import quote

from palimp_protocol.env.clock import now_ms
from palimp_protocol.env.page_address import GLOBAL_KEY, HOST, key_of
from palimp_protocol.env.paths import kept_page_path
from palimp_protocol.env.used_page import read_used_page
from palimp_protocol.limits import ID_CHARACTERS_SHOWN
from palimp_protocol.messages.caller import Caller

_SHOWN_BY: Final = {
    "id": ((re.compile(r"m[0-9a-z]+"), "memory/{}"), (re.compile(r"h\d+"), "removed/{}")),
    "session": ((re.compile(r".+"), "sessions?session={}"),),
}
"""Pages for a column's values, by the column's name."""

_IN_LINE: Final = re.compile(
    rf"(?<![\w-])m(?=[a-z]*\d)[0-9a-z]{{{ID_CHARACTERS_SHOWN - 1},11}}(?![\w-])|(?:^|(?<=  )|(?<=\[1m))h\d+(?=  )"
)
"""Ids in a line: a memory's has a digit, unlike words; removed code's has its own column."""


class _ProjectPages:
    """The pages of the command's project."""

    def __init__(self, env: Mapping[str, str], caller: Caller) -> None:
        self._env, self._caller = env, caller

    @cached_property
    def address(self) -> str:
        """Their beginning; empty: none is served. Looked up once."""
        used = read_used_page(Path(kept_page_path(self._env)), now_ms())
        key = key_of(self._caller.project.root) if self._caller.project else GLOBAL_KEY
        return f"http://{HOST}:{used.port}/p/{key}/" if used else ""


_pages: ContextVar[_ProjectPages | None] = ContextVar("pages", default=None)


def note_asked(env: Mapping[str, str], caller: Caller) -> None:
    """Note the command's caller."""
    _pages.set(_ProjectPages(env, caller))


def links_in(line: str) -> list[tuple[int, int, str]]:
    """Return (start, end, address) of ids in *line*, while a page is served."""
    found = ((each.start(), each.end(), link_of("id", each[0])) for each in _IN_LINE.finditer(line))
    return [place for place in found if place[2]]


def with_links(line: str) -> str:
    """Return *line* with ids as links."""
    for start, end, address in reversed(links_in(line)):
        line = f"{line[:start]}\x1b]8;;{address}\x1b\\{line[start:end]}\x1b]8;;\x1b\\{line[end:]}"
    return line


def link_of(column: str, text: str) -> str:
    """Return the page of *text* in *column*, or empty."""
    pages = _pages.get()
    part = next((page for pattern, page in _SHOWN_BY.get(column, ()) if pattern.fullmatch(text)), "")
    if not (part and pages and pages.address):
        return ""
    return pages.address + part.format(quote(text, safe=""))
