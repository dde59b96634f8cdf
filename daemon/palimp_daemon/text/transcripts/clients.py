"""The clients whose sessions are read, and of which of them a transcript is.

A hook or a person names a file and not its client. Where it lies tells, for the files that clients keep in their own
folders; of others, a copy somewhere else, the first lines do.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from palimp_daemon.runtime.files import open_plain
from palimp_daemon.text.transcripts import claude_code, codex, copilot, gemini, opencode, qwen
from palimp_daemon.text.transcripts.turn import Reader
from palimp_daemon.text.transcripts.values import Fields, entries_of, field_of, object_of, text_in

CLIENTS: Final[Mapping[str, Reader]] = {
    module.CLIENT: Reader(module.session_files, module.news_of)
    for module in (claude_code, codex, copilot, gemini, qwen, opencode)
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
    return next((client for entry in entries_of(data.split(b"\n")) if (client := _client_of_line(entry))), None)


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
