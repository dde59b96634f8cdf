"""pi's sessions: `~/.pi/agent/sessions/--<folder>--/<time>_<session>.jsonl`, run with 1.6.

The roles `user` and `assistant` count; extensions add other types.
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
    first_texts,
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

CLIENT: Final = "pi"

PLACE: Final = re.compile(r"/sessions/--[^/]*--/[^/]+\.jsonl$")


class _Record(msgspec.Struct):
    type: msgspec.Raw = msgspec.Raw(b"")
    timestamp: msgspec.Raw = msgspec.Raw(b"")
    message: msgspec.Raw = msgspec.Raw(b"")


def session_files(home: Path, env: Mapping[str, str]) -> Iterator[SessionFile]:
    """Yield the sessions in pi's folder."""
    return session_files_in(CLIENT, _sessions(home, env), 1, (".jsonl",))


def places(sought: Sought) -> Iterator[str]:
    """Yield a session's places."""
    for number, path in enumerate(_sessions(sought.home, sought.env).glob(f"--*--/*_{sought.session}.jsonl")):
        if number >= FOLDERS_MAX:
            return
        yield str(path)


def is_line(entry: Fields) -> bool:
    """Tell whether *entry* is this client's alone."""
    is_session = "version" in entry and "cwd" in entry and text_in(entry, "type") == "session"
    return is_session or ("parentId" in entry and "timestamp" in object_of(field_of(entry, "message")))


def found_in(given: Slice) -> SliceContent:
    """Return a slice's content."""
    pieces, skipped = pieces_of_lines(given, _Record, _pieces_of)
    key, folder = first_texts(given.opening, "id", "cwd")
    return SliceContent(pieces, key or Path(given.path).stem.rpartition("_")[2], folder, skipped)


def _sessions(home: Path, env: Mapping[str, str]) -> Path:
    return folder_of(home, env, "PI_CODING_AGENT_DIR", ".pi/agent") / "sessions"


def _pieces_of(line: bytes, decoded: LineDecoder[_Record], calls: Calls) -> list[Piece]:
    record = decoded(line)
    if record is None or text_of(record.type) != "message":
        return []
    message, at_ms = object_of(record.message), ms_of(record.timestamp)
    role = text_in(message, "role")
    if role == "toolResult":
        call = calls.finish_call(text_in(message, "toolCallId"))
        files = call.files if call and not is_true(field_of(message, "isError")) else ()
        return [Piece("assistant", "", at_ms, files=files)] if files else []
    content = field_of(message, "content")
    parts = [object_of(part) for part in list_of(content)]
    texts = [text_in(part, "text") for part in parts if text_in(part, "type") == "text"] or [text_of(content)]
    text = "\n\n".join(filter(None, texts))
    if role == "user":
        return [Piece("user", typed_by_person(text), at_ms)]
    if role != "assistant":
        return []
    for part in parts:
        if text_in(part, "type") == "toolCall":
            calls.note(text_in(part, "id"), text_in(part, "name"), field_of(part, "arguments"))
    return [Piece("assistant", text, at_ms)] if text else []
