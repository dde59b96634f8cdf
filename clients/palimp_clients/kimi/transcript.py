"""Kimi Code's sessions: `~/.kimi-code/sessions/<folder>/<session>/agents/main/wire.jsonl`, run with 2.1.

Of a prompt's three lines `turn.prompt` counts, if its origin is the user. `state.json` has the working folder; other
agents are subagents.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from palimp_clients.transcripts.calls import Calls
from palimp_clients.transcripts.folders import folder_of, session_files_in
from palimp_clients.transcripts.json_values import (
    Fields,
    LineDecoder,
    field_of,
    is_true,
    list_of,
    ms_of,
    object_of,
    text_in,
    text_of,
)
from palimp_clients.transcripts.session_places import FOLDERS_MAX, Sought
from palimp_clients.transcripts.slices import Slice, SliceContent, pieces_of_lines
from palimp_clients.transcripts.turn import Piece, SessionFile
from palimp_clients.transcripts.user_text import typed_by_person
from palimp_protocol.env.plain_files import read_bounded

CLIENT: Final = "kimi"

PLACE: Final = re.compile(r"/sessions/[^/]+/session_[^/]+/agents/main/wire\.jsonl$")

STATE_BYTES_MAX: Final = 1024 * 1024
"""Bytes of a session's `state.json`, which has some hundreds."""

_MAIN: Final = "agents/main/wire.jsonl"

_SAID: Final = (b'"turn.prompt"', b'"content.part"', b'"tool.call"', b'"tool.result"')


class _Record(msgspec.Struct):
    type: msgspec.Raw = msgspec.Raw(b"")
    time: msgspec.Raw = msgspec.Raw(b"")
    origin: msgspec.Raw = msgspec.Raw(b"")
    input: msgspec.Raw = msgspec.Raw(b"")
    event: msgspec.Raw = msgspec.Raw(b"")


def session_files(home: Path, env: Mapping[str, str]) -> Iterator[SessionFile]:
    """Yield the sessions in Kimi Code's folder."""
    for found in session_files_in(CLIENT, _sessions(home, env), 4, (".jsonl",)):
        if PLACE.search(found.path):
            yield found


def places(sought: Sought) -> Iterator[str]:
    """Yield a session's places."""
    for number, path in enumerate(_sessions(sought.home, sought.env).glob(f"*/{sought.session}/{_MAIN}")):
        if number >= FOLDERS_MAX:
            return
        yield str(path)


def is_line(entry: Fields) -> bool:
    """Tell whether *entry* is this client's alone."""
    return text_in(entry, "type") == "metadata" and "protocol_version" in entry


def found_in(given: Slice) -> SliceContent:
    """Return a slice's content."""
    pieces, skipped = pieces_of_lines(given, _Record, _pieces_of)
    path = Path(given.path)
    is_kept = PLACE.search(given.path) is not None
    key = path.parents[2].name if is_kept else path.stem
    return SliceContent(pieces, key, _folder(path.parents[2]) if is_kept else "", skipped)


def _sessions(home: Path, env: Mapping[str, str]) -> Path:
    return folder_of(home, env, "KIMI_CODE_HOME", ".kimi-code") / "sessions"


def _folder(session: Path) -> str:
    try:
        return text_in(object_of(msgspec.Raw(read_bounded(session / "state.json", STATE_BYTES_MAX))), "cwd")
    except (OSError, ValueError):
        return ""


def _pieces_of(line: bytes, decoded: LineDecoder[_Record], calls: Calls) -> list[Piece]:
    if not any(kind in line for kind in _SAID) or not (record := decoded(line)):
        return []
    at_ms = ms_of(record.time)
    if text_of(record.type) == "turn.prompt":
        is_typed = text_in(object_of(record.origin), "kind") == "user"
        texts = [text_in(object_of(part), "text") for part in list_of(record.input)]
        return [Piece("user", typed_by_person("\n\n".join(filter(None, texts))), at_ms)] if is_typed else []
    event = object_of(record.event)
    match text_in(event, "type"):
        case "content.part" if text_in(event, "part", "type") == "text":
            return [Piece("assistant", text_in(event, "part", "text"), at_ms, text_in(event, "stepUuid"))]
        case "tool.call":
            calls.note(text_in(event, "toolCallId"), text_in(event, "name"), field_of(event, "args"))
        case "tool.result":
            call = calls.finish_call(text_in(event, "toolCallId"))
            has_failed = is_true(field_of(event, "result", "isError"))
            return [Piece("assistant", "", at_ms, files=call.files)] if call and call.files and not has_failed else []
        case _:
            pass
    return []
