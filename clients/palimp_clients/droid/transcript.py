"""Factory droid's sessions: `~/.factory/sessions/<folder>/<session>.jsonl`, run with 0.215.

Messages are in Claude's form. Ids with `context-` are droid's own reminders; hooks' output has no text.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from palimp_clients.transcripts.calls import Calls, answered_text
from palimp_clients.transcripts.folders import session_files_in
from palimp_clients.transcripts.json_values import (
    Fields,
    LineDecoder,
    field_of,
    first_texts,
    is_true,
    list_of,
    ms_of,
    object_of,
    text_in,
    text_of,
)
from palimp_clients.transcripts.session_places import Sought, in_projects
from palimp_clients.transcripts.slices import Slice, SliceContent, pieces_of_lines
from palimp_clients.transcripts.turn import Piece, SessionFile
from palimp_clients.transcripts.user_text import typed_by_person

CLIENT: Final = "droid"

PLACE: Final = re.compile(r"/\.factory/sessions/[^/]+/[^/]+\.jsonl$")

_OWN: Final = "context-"
"""Prefix of ids of droid's own reminders."""


class _Record(msgspec.Struct):
    type: msgspec.Raw = msgspec.Raw(b"")
    id: msgspec.Raw = msgspec.Raw(b"")
    timestamp: msgspec.Raw = msgspec.Raw(b"")
    message: msgspec.Raw = msgspec.Raw(b"")


def session_files(home: Path, env: Mapping[str, str]) -> Iterator[SessionFile]:
    """Yield the sessions in droid's folder."""
    del env
    return session_files_in(CLIENT, _sessions(home), 1, (".jsonl",))


def places(sought: Sought) -> Iterator[str]:
    """Yield a session's places, likeliest first."""
    return in_projects(_sessions(sought.home), sought.folder, f"{sought.session}.jsonl")


def is_line(entry: Fields) -> bool:
    """Tell whether *entry* is this client's alone."""
    return text_in(entry, "type") == "session_start" and "cwd" in entry


def found_in(given: Slice) -> SliceContent:
    """Return a slice's content."""
    pieces, skipped = pieces_of_lines(given, _Record, _pieces_of)
    key, folder = first_texts(given.opening, "id", "cwd")
    return SliceContent(pieces, key or Path(given.path).stem, folder, skipped)


def _sessions(home: Path) -> Path:
    return home / ".factory" / "sessions"


def _pieces_of(line: bytes, decoded: LineDecoder[_Record], calls: Calls) -> list[Piece]:
    record = decoded(line)
    if record is None or text_of(record.type) != "message" or text_of(record.id).startswith(_OWN):
        return []
    message, at_ms = object_of(record.message), ms_of(record.timestamp)
    parts = [object_of(part) for part in list_of(field_of(message, "content"))]
    said = [text_in(part, "text") for part in parts if text_in(part, "type") == "text"]
    text = "\n\n".join(said) or text_of(field_of(message, "content"))
    done = [piece for part in parts for piece in _pieces_of_call(part, calls, at_ms)]
    match text_in(message, "role"):
        case "user" if text:
            return [*done, Piece("user", typed_by_person(text), at_ms)]
        case "assistant" if text:
            return [Piece("assistant", text, at_ms)]
        case _:
            return done


def _pieces_of_call(part: Fields, calls: Calls, at_ms: int) -> list[Piece]:
    if text_in(part, "type") == "tool_use":
        calls.note(text_in(part, "id"), text_in(part, "name"), field_of(part, "input"))
    call = calls.finish_call(text_in(part, "tool_use_id"))
    if call is None or is_true(field_of(part, "is_error")):
        return []
    if call.questions:
        return [Piece("user", answered_text(call.questions, field_of(part, "content")), at_ms)]
    return [Piece("assistant", "", at_ms, files=call.files)] if call.files else []
