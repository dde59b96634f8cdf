"""The clients whose sessions are read, and of which of them a transcript is.

A hook or a person names a file and not its client. Where it lies tells, for the files that clients keep in their own
folders; of others, a copy somewhere else, the first lines do.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from palimp_daemon.runtime.files import open_plain
from palimp_daemon.text.json_values import Fields, entries_of, field_of, object_of, text_in
from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.transcript import Place
from palimp_daemon.text.transcripts import claude_code, codex, copilot, gemini, opencode, qwen
from palimp_daemon.text.transcripts.slices import OPENING_LINES, Found, Slice
from palimp_daemon.text.transcripts.turn import SessionFile, SessionNews, Turn, turns_of


class Reader(NamedTuple):
    """How the sessions of one client are found and read."""

    session_files: Callable[[Path, Mapping[str, str]], Iterator[SessionFile]]
    news_of: Callable[[str, Place, Redactor], SessionNews]
    found_in: Callable[[Slice], Found] | None = None
    """Tells what lines say; None where the client keeps no lines."""


_OF_LINES: Final = (claude_code, codex, copilot, gemini, qwen)

CLIENTS: Final[Mapping[str, Reader]] = {
    **{module.CLIENT: Reader(module.session_files, module.news_of, module.found_in) for module in _OF_LINES},
    opencode.CLIENT: Reader(opencode.session_files, opencode.news_of),
}
"""How each client's sessions are found and read, by its name."""

BEGINNING_BYTES: Final = 256 * 1024
"""Bytes of a file in which it is looked for what tells its client: Codex' first line holds its instructions."""

_PLACES: Final = (
    (re.compile(r"/rollout-[^/]+\.jsonl(?:\.zst)?$"), codex.CLIENT),
    (re.compile(r"/session-state/(?:[^/]+/events|[^/]+)\.jsonl$"), copilot.CLIENT),
    (re.compile(r"/chats/session-[^/]+\.jsonl?$"), gemini.CLIENT),
    (re.compile(r"/projects/[^/]+/chats/[^/]+\.jsonl$"), qwen.CLIENT),
    (re.compile(r"\.db#[^/]*$|/storage/session/[^/]+/ses_[^/]+\.json$"), opencode.CLIENT),
    (re.compile(r"/projects/[^/]+/[^/]+\.jsonl$"), claude_code.CLIENT),
)


def client_of(path: str) -> str | None:
    """Return the name of the client that wrote the transcript at *path*; None where nothing tells."""
    for place, client in _PLACES:
        if place.search(path):
            return client
    try:
        with open_plain(Path(path)) as stream:
            data = stream.read(BEGINNING_BYTES)
    except (OSError, ValueError):
        return None
    return _client_of_lines(data.split(b"\n"))


class SaidInText(NamedTuple):
    """What a transcript says that was given as text: its turns, its session's id, and its client."""

    turns: list[Turn]
    key: str
    client: str


def said_in_text(text: str, redact: Redactor) -> SaidInText | None:
    """Return what the transcript *text* says; None where it is none. Nothing of it is written anywhere."""
    if not text.lstrip().startswith("{"):
        return None
    lines = [line + b"\n" for line in text.encode("utf-8", "replace").strip().split(b"\n")]
    client = _client_of_lines(lines[:OPENING_LINES])
    if client is None or (found_in := CLIENTS[client].found_in) is None:
        return None
    # A session that does not say its id is known by how it begins: the same each time.
    name = hashlib.blake2b(lines[0].strip(), digest_size=8).hexdigest()
    found = found_in(Slice(f"{name}.jsonl", lines[:OPENING_LINES], iter(lines), ""))
    return SaidInText(turns_of(found.pieces, redact), found.key, client)


def _client_of_lines(lines: Iterable[bytes]) -> str | None:
    return next((client for entry in entries_of(lines) if (client := _client_of_line(entry))), None)


def _client_of_line(entry: Fields) -> str | None:
    """Return the client that writes such lines; None where others do, too."""
    kind = text_in(entry, "type")
    if "payload" in entry and "timestamp" in entry:
        return codex.CLIENT
    if "data" in entry and "." in kind:
        return copilot.CLIENT
    if "projectHash" in entry and "sessionId" in entry:
        return gemini.CLIENT
    if "sessionId" in entry and "uuid" in entry and "parts" in object_of(field_of(entry, "message")):
        return qwen.CLIENT
    return (
        claude_code.CLIENT
        if kind in ("user", "assistant") and "content" in object_of(field_of(entry, "message"))
        else None
    )
