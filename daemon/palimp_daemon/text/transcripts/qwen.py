"""Qwen Code's sessions: `~/.qwen/projects/<folder>/chats/<session>.jsonl`, run with 0.24.

A line is one record, in the form of Claude Code's; its message is Gemini's: `parts`, of which thoughts are flagged. A
record of the user's has a `subtype` where nobody typed it (a notification, a task that came due), but for
`mid_turn_user_message`: what was typed while the agent was at work. What the person saw of it, without what the client
and hooks added, is its `displayText`; older versions have none (read, not run).

Subagents write files of their own elsewhere. Versions that kept sessions as Gemini CLI did are not read.
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from palimp_daemon.text.json_values import (
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
from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.transcript import Place
from palimp_daemon.text.transcripts.edited_files import files_of_call
from palimp_daemon.text.transcripts.folders import folder_of, session_files_in
from palimp_daemon.text.transcripts.slices import Lines, Slice, SliceContent, news_from_lines
from palimp_daemon.text.transcripts.turn import SAID, Piece, SessionFile, SessionNews, Wanted
from palimp_daemon.text.user_text import typed_by_person

CLIENT: Final = "qwen"

TYPED: Final = ("", "mid_turn_user_message")
"""Subtypes of what a person typed."""

BY_PERSON: Final = ("", "real_user")
"""Where what a person typed comes from, if that is said."""

_FILES: Final = ("--- Content from referenced files ---", "--- End of content ---")
"""The parts between which the client adds files that a request names."""

_HOOKS: Final = "<qwen:"
"""How a part begins that holds what hooks say."""

_MID_TURN: Final = "[User message received during tool execution]:"

_SAID: Final = (b'"type":"user"', b'"type":"assistant"')


class _Record(msgspec.Struct):
    type: msgspec.Raw = msgspec.Raw(b"")
    subtype: msgspec.Raw = msgspec.Raw(b"")
    provenance: msgspec.Raw = msgspec.Raw(b"")
    timestamp: msgspec.Raw = msgspec.Raw(b"")
    message: msgspec.Raw = msgspec.Raw(b"")
    systemPayload: msgspec.Raw = msgspec.Raw(b"")  # noqa: N815  the client's name
    isSidechain: msgspec.Raw = msgspec.Raw(b"")  # noqa: N815  the same
    agentId: msgspec.Raw = msgspec.Raw(b"")  # noqa: N815  the same


def session_files(home: Path, env: Mapping[str, str]) -> Iterator[SessionFile]:
    """Yield the sessions in the folder that Qwen Code has."""
    for found in session_files_in(CLIENT, folder(home, env) / "projects", 2, (".jsonl",)):
        if Path(found.path).parent.name == "chats":
            yield found


def folder(home: Path, env: Mapping[str, str]) -> Path:
    """Return QWEN_RUNTIME_DIR or QWEN_HOME, or else `~/.qwen`."""
    variable = "QWEN_RUNTIME_DIR" if env.get("QWEN_RUNTIME_DIR", "").strip() else "QWEN_HOME"
    return folder_of(home, env, variable, ".qwen")


def news_of(path: str, place: Place, redact: Redactor, wanted: Wanted = SAID) -> SessionNews:
    """Return what the session at *path* says since *place*, as far as it is *wanted*."""
    return news_from_lines(path, place, redact, Lines(found_in, is_line), wanted)


def is_line(entry: Fields) -> bool:
    """Tell whether *entry* is a line of this client's, as no other writes them."""
    return "sessionId" in entry and "uuid" in entry and "parts" in object_of(field_of(entry, "message"))


def found_in(given: Slice) -> SliceContent:
    """Return what a slice of a session's lines says."""
    decoded = LineDecoder(_Record)
    pieces: list[Piece] = []
    for line in given.lines:
        record = decoded(line) if any(kind in line for kind in _SAID) else None
        piece = _piece_of(record) if record else None
        pieces += [piece] if piece else []
    key, folder = first_texts(given.opening, "sessionId", "cwd")
    return SliceContent(pieces, key or Path(given.path).stem, folder, decoded.skipped)


def _piece_of(record: _Record) -> Piece | None:
    """Return what a record says; None when it says nothing."""
    if is_true(record.isSidechain) or text_of(record.agentId):
        return None
    kind, given = text_of(record.type), _parts(record.message)
    parts = _texts(given)
    at_ms = ms_of(record.timestamp)
    if kind == "assistant":
        return Piece("assistant", "\n\n".join(parts), at_ms, files=_files_of(given))
    if kind != "user" or text_of(record.subtype) not in TYPED or text_of(record.provenance) not in BY_PERSON:
        return None
    shown = text_in(object_of(record.systemPayload), "displayText")
    text = shown or "\n\n".join(_typed(parts)).removeprefix(_MID_TURN)
    return Piece("user", typed_by_person(text), at_ms)


def _typed(parts: list[str]) -> list[str]:
    """Return the parts that the client did not add."""
    typed: list[str] = []
    is_file = False
    for part in parts:
        is_file = is_file or part == _FILES[0]
        if not is_file and not part.startswith(_HOOKS):
            typed.append(part)
        is_file = is_file and part != _FILES[1]
    return typed


def _parts(message: msgspec.Raw) -> list[Fields]:
    return [object_of(part) for part in list_of(field_of(object_of(message), "parts"))]


def _files_of(parts: Iterable[Fields]) -> tuple[str, ...]:
    calls = [object_of(field_of(part, "functionCall")) for part in parts]
    return tuple(file for call in calls for file in files_of_call(text_in(call, "name"), field_of(call, "args")))


def _texts(parts: Iterable[Fields]) -> list[str]:
    return [
        text for part in parts if not is_true(field_of(part, "thought")) and (text := text_in(part, "text").strip())
    ]
