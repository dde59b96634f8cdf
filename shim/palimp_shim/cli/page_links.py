"""Link what a terminal shows to the page, while it is served (OSC 8): a click opens a memory in the browser.

No request asks whether it is served: the daemon keeps that in a file for its successor. A terminal that knows no links
shows the text alone; where colours are off, and in a pipe, no link is printed.
"""

import json
import re
import time
from collections.abc import Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Final
from urllib.parse import quote

from palimp_protocol.env.page_address import GLOBAL_KEY, HOST, UNUSED_S, key_of
from palimp_protocol.env.paths import kept_page_path
from palimp_protocol.env.plain_files import open_plain
from palimp_protocol.messages.caller import Caller

FILE_BYTES_MAX: Final = 64 * 1024

_SHOWN_BY: Final = {
    "id": ((re.compile(r"m[0-9a-z]+"), "memory/{}"), (re.compile(r"h\d+"), "removed/{}")),
    "session": ((re.compile(r".+"), "sessions?session={}"),),
}
"""The pages of what stands in a column, by the column's name."""

_asked: ContextVar[tuple[Mapping[str, str], Caller] | None] = ContextVar("asked", default=None)


def note_asked(env: Mapping[str, str], caller: Caller) -> None:
    """Note the caller for whom the command prints."""
    _asked.set((env, caller))


def link_of(column: str, text: str) -> str:
    """Return the address of the page of *text*, which stands in *column*; empty: none is served."""
    asked = _asked.get()
    if asked is None or column not in _SHOWN_BY:
        return ""
    env, caller = asked
    part = next((page for pattern, page in _SHOWN_BY[column] if pattern.fullmatch(text)), "")
    if not part or not (port := served_port(env)):
        return ""
    key = key_of(caller.project.root) if caller.project else GLOBAL_KEY
    return f"http://{HOST}:{port}/p/{key}/{part.format(quote(text, safe=''))}"


def served_port(env: Mapping[str, str]) -> int:
    """Return the port at which the page is served, as far as its file says; 0: it is not."""
    try:
        with open_plain(Path(kept_page_path(env)), follows_links=False) as file:
            used = json.loads(file.read(FILE_BYTES_MAX))
        port, used_at = used["port"], used["used_at"]
        is_open = 0 <= time.time() - used_at / 1000 < UNUSED_S
    except (OSError, ValueError, TypeError, KeyError):
        return 0
    return port if is_open and isinstance(port, int) and 0 < port < 65_536 else 0
