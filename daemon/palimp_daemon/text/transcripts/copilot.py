"""Copilot CLI's sessions: `<COPILOT_HOME>/session-state/<session>/events.jsonl`, run with 1.0.

A line is an event `{type, data, id, timestamp, parentId}`. What a person typed is the `content` of a `user.message`;
its `transformedContent` has what the client added. What the agent said is the `content` of an `assistant.message`; one
of a subagent has an `agentId`, and what was said to it a `source`. Older versions kept `<session>.jsonl` beside (read,
not run).
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from palimp_daemon.text.json_values import (
    Fields,
    LineDecoder,
    entries_of,
    field_of,
    is_true,
    list_of,
    ms_of,
    object_of,
    text_in,
    text_of,
)
from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.transcript import Place
from palimp_daemon.text.transcripts.edited_files import files_of_call
from palimp_daemon.text.transcripts.folders import folder_of, session_files_in
from palimp_daemon.text.transcripts.slices import Lines, Slice, SliceContent, news_from_lines
from palimp_daemon.text.transcripts.turn import SAID, Piece, SessionFile, SessionNews, Wanted
from palimp_daemon.text.user_text import typed_by_person

CLIENT: Final = "copilot"

_SAID: Final = (b'"user.message"', b'"assistant.message"')


class _Event(msgspec.Struct):
    type: msgspec.Raw = msgspec.Raw(b"")
    data: msgspec.Raw = msgspec.Raw(b"")
    timestamp: msgspec.Raw = msgspec.Raw(b"")
    agentId: msgspec.Raw = msgspec.Raw(b"")  # noqa: N815  the client's name


def session_files(home: Path, env: Mapping[str, str]) -> Iterator[SessionFile]:
    """Yield the sessions in COPILOT_HOME, or else in `~/.copilot`."""
    folder = folder_of(home, env, "COPILOT_HOME", ".copilot") / "session-state"
    for found in session_files_in(CLIENT, folder, 1, ("events.jsonl",)):
        if Path(found.path).name == "events.jsonl":
            yield found
    yield from session_files_in(CLIENT, folder, 0, (".jsonl",))


def news_of(path: str, place: Place, redact: Redactor, wanted: Wanted = SAID) -> SessionNews:
    """Return what the session at *path* says since *place*, as far as it is *wanted*."""
    return news_from_lines(path, place, redact, Lines(found_in, is_line), wanted)


def is_line(entry: Fields) -> bool:
    """Tell whether *entry* is a line of this client's, as no other writes them."""
    return "data" in entry and "." in text_in(entry, "type")


def found_in(given: Slice) -> SliceContent:
    """Return what a slice of a session's lines says."""
    decoded = LineDecoder(_Event)
    pieces: list[Piece] = []
    for line in given.lines:
        event = decoded(line) if any(kind in line for kind in _SAID) else None
        piece = _piece_of(event) if event else None
        pieces += [piece] if piece else []
    return SliceContent(pieces, *_key_and_folder(given), decoded.skipped)


def _piece_of(event: _Event) -> Piece | None:
    """Return what an event says; None when it says nothing."""
    kind, data = text_of(event.type), object_of(event.data)
    text, at_ms = text_in(data, "content"), ms_of(event.timestamp)
    if text_of(event.agentId) or text_in(data, "parentToolCallId"):
        return None
    if kind == "assistant.message":
        message = text_in(data, "apiCallId") if "chunkCount" in data else ""
        return Piece("assistant", text, at_ms, message, _files_of(data))
    is_typed = text_in(data, "source") in ("", "user") and not is_true(field_of(data, "isAutopilotContinuation"))
    return Piece("user", typed_by_person(text), at_ms) if kind == "user.message" and is_typed else None


def _files_of(data: Fields) -> tuple[str, ...]:
    calls = map(object_of, list_of(field_of(data, "toolRequests")))
    return tuple(file for call in calls for file in files_of_call(text_in(call, "name"), field_of(call, "arguments")))


def _key_and_folder(given: Slice) -> tuple[str, str]:
    path = Path(given.path)
    key, folder = path.parent.name if path.name == "events.jsonl" else path.stem, ""
    for event in entries_of(given.opening):
        if text_in(event, "type") == "session.start":
            data = object_of(field_of(event, "data"))
            key, folder = text_in(data, "sessionId") or key, text_in(data, "context", "cwd") or folder
    return key, folder
