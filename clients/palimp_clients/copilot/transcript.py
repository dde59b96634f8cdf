"""Copilot CLI's sessions: `<COPILOT_HOME>/session-state/<session>/events.jsonl`, run with 1.0.

Messages with an `agentId` or a `source` are subagents'. Older: `<session>.jsonl`.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from palimp_clients.transcripts.calls import Calls, words_in_result, words_of_refusal
from palimp_clients.transcripts.folders import folder_of, session_files_in
from palimp_clients.transcripts.json_values import (
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
from palimp_clients.transcripts.session_places import Sought
from palimp_clients.transcripts.slices import Slice, SliceContent
from palimp_clients.transcripts.turn import Piece, SessionFile
from palimp_clients.transcripts.user_text import typed_by_person

CLIENT: Final = "copilot"

PLACE: Final = re.compile(r"/session-state/(?:[^/]+/events|[^/]+)\.jsonl$")

_SAID: Final = (b'"user.message"', b'"assistant.message"', b'"session.context_changed"')

_REFUSED: Final = b"rejected this tool call"
"""In the result of a call that a person refused."""

_REFUSING: Final = ("denied", "rejected")
"""The client's codes for it, which no tool can give."""

_PLAN: Final = "[[PLAN]] "
"""The client's prefix of requests in plan mode."""


class _Event(msgspec.Struct):
    type: msgspec.Raw = msgspec.Raw(b"")
    data: msgspec.Raw = msgspec.Raw(b"")
    timestamp: msgspec.Raw = msgspec.Raw(b"")
    agentId: msgspec.Raw = msgspec.Raw(b"")  # noqa: N815  the client's name


def session_files(home: Path, env: Mapping[str, str]) -> Iterator[SessionFile]:
    """Yield the sessions in COPILOT_HOME, else `~/.copilot`."""
    folder = folder_of(home, env, "COPILOT_HOME", ".copilot") / "session-state"
    for found in session_files_in(CLIENT, folder, 1, ("events.jsonl",)):
        if Path(found.path).name == "events.jsonl":
            yield found
    yield from session_files_in(CLIENT, folder, 0, (".jsonl",))


def places(sought: Sought) -> Iterator[str]:
    """Yield a session's places."""
    kept = folder_of(sought.home, sought.env, "COPILOT_HOME", ".copilot") / "session-state"
    for path in (kept / sought.session / "events.jsonl", kept / f"{sought.session}.jsonl"):
        if path.is_file():
            yield str(path)


def is_line(entry: Fields) -> bool:
    """Tell whether *entry* is this client's alone."""
    return "data" in entry and "." in text_in(entry, "type")


def found_in(given: Slice) -> SliceContent:
    """Return a slice's content."""
    known = _Reading(has_files=given.has_files)
    for line in given.before:
        known.read(line)
    reading = _Reading(has_files=given.has_files, calls=known.calls, folder=known.folder)
    for line in given.lines:
        reading.read(line)
    return SliceContent(reading.pieces, *_key_and_folder(given), reading.decoded.skipped)


class _Reading:
    def __init__(self, *, has_files: bool, calls: Calls | None = None, folder: str = "") -> None:
        self.decoded = LineDecoder(_Event)
        self.calls = calls or Calls(has_files=has_files)
        self.folder = folder
        self.pieces: list[Piece] = []

    def read(self, line: bytes) -> None:
        is_wanted = any(kind in line for kind in (*_SAID, _REFUSED)) or self.calls.are_named_in(line)
        if not is_wanted or not (event := self.decoded(line)):
            return
        data = object_of(event.data)
        if text_of(event.type) == "session.context_changed":
            self.folder = text_in(data, "cwd") or self.folder
        elif piece := _piece_of(event, data, self.calls):
            self.pieces.append(piece._replace(folder=self.folder))


def _piece_of(event: _Event, data: Fields, calls: Calls) -> Piece | None:
    kind, at_ms = text_of(event.type), ms_of(event.timestamp)
    text = text_in(data, "content")
    if text_of(event.agentId) or text_in(data, "parentToolCallId"):
        return None
    if kind == "assistant.message":
        for call in map(object_of, list_of(field_of(data, "toolRequests"))):
            calls.note(text_in(call, "toolCallId"), text_in(call, "name"), field_of(call, "arguments"))
        message = text_in(data, "apiCallId") if "chunkCount" in data else ""
        return Piece("assistant", text, at_ms, message)
    if kind == "tool.execution_complete":
        return _piece_of_result(data, at_ms, calls)
    is_typed = text_in(data, "source") in ("", "user") and not is_true(field_of(data, "isAutopilotContinuation"))
    is_said = kind == "user.message" and is_typed
    return Piece("user", typed_by_person(text.removeprefix(_PLAN)), at_ms) if is_said else None


def _piece_of_result(data: Fields, at_ms: int, calls: Calls) -> Piece | None:
    call = calls.finish_call(text_in(data, "toolCallId"))
    if bytes(field_of(data, "success")) == b"false":
        is_refused = text_in(data, "error", "code") in _REFUSING
        return Piece("user", words_of_refusal(text_in(data, "error", "message")), at_ms) if is_refused else None
    if call is None:
        return None
    if call.files:
        return Piece("assistant", "", at_ms, files=call.files)
    return Piece("user", words_in_result(call, field_of(data, "result", "content")), at_ms)


def _key_and_folder(given: Slice) -> tuple[str, str]:
    path = Path(given.path)
    key, folder = path.parent.name if path.name == "events.jsonl" else path.stem, ""
    for event in entries_of(given.opening):
        if text_in(event, "type") == "session.start":
            data = object_of(field_of(event, "data"))
            key, folder = text_in(data, "sessionId") or key, text_in(data, "context", "cwd") or folder
    return key, folder
