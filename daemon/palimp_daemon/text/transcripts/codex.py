"""Codex's sessions: `<CODEX_HOME>/sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`, run with 0.171.

A line is `{timestamp, type, payload}`. What was said is in those of type `response_item` whose payload is a `message`,
of the role `user` or `assistant`; the client's own instructions are of `developer`. The `event_msg` lines say the same
once more. The first line, `session_meta`, has the id and the folder, and tells a subagent's session, of which nothing
is read. Until the autumn of 2025 a line was the payload alone (read, not run).

In the user's place the client puts one content item for each thing it tells the model: `user_text` knows most of them,
the rest are here. Sessions that Codex compressed (`.jsonl.zst`, off by default) are not read.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from palimp_daemon.text.json_values import (
    NO_FIELDS,
    Fields,
    LineDecoder,
    entries_of,
    field_of,
    is_text,
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
from palimp_daemon.text.transcripts.turn import SAID, Piece, SessionFile, SessionNews, Wanted, nothing_new
from palimp_daemon.text.user_text import typed_by_person

CLIENT: Final = "codex"

COMPRESSED: Final = ".jsonl.zst"

_MESSAGE: Final = (b'"type":"message"', b'"type": "message"')

_EDIT: Final = b"*** Begin Patch"
"""What stands in a call that edits files, whichever tool it is of."""

_CALLS: Final = ("custom_tool_call", "function_call", "local_shell_call")

_ID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")

_REQUEST: Final = re.compile(
    r"(?s)\s*# (?:Context from my IDE setup|Files mentioned by the user):.*?\n## My request for Codex:\s*"
)
"""What an editor puts before a request; what follows was typed."""

_BY_CLIENT: Final = re.compile(
    r"\s*(?:</?image\b[^>]*>\s*$|Another language model started to solve this problem"
    r"|Warning: (?:apply_patch was requested via|Your account was flagged|The maximum number of unified exec))"
)
"""Items of which nothing is the person's: the marks around a picture, a summary's preface, warnings."""

_FOLDER: Final = re.compile(r"<cwd>([^<]+)</cwd>|Current working directory: ([^\n]+)")


class _Line(msgspec.Struct):
    """A line, of today's form or of the one before."""

    type: msgspec.Raw = msgspec.Raw(b"")
    timestamp: msgspec.Raw = msgspec.Raw(b"")
    payload: msgspec.Raw = msgspec.Raw(b"")
    role: msgspec.Raw = msgspec.Raw(b"")
    content: msgspec.Raw = msgspec.Raw(b"")


class _Session(msgspec.Struct, frozen=True):
    key: str
    folder: str
    is_subagent: bool
    began_ms: int


def session_files(home: Path, env: Mapping[str, str]) -> Iterator[SessionFile]:
    """Yield the sessions in CODEX_HOME, or else in `~/.codex`; those that were archived, too."""
    folder = folder_of(home, env, "CODEX_HOME", ".codex")
    for name, depth in (("sessions", 3), ("archived_sessions", 0)):
        for found in session_files_in(CLIENT, folder / name, depth, (".jsonl", COMPRESSED)):
            is_twice = found.path.endswith(COMPRESSED) and Path(found.path.removesuffix(".zst")).exists()
            if Path(found.path).name.startswith("rollout-") and not is_twice:
                yield found


def news_of(path: str, place: Place, redact: Redactor, wanted: Wanted = SAID) -> SessionNews:
    """Return what the rollout at *path* says since *place*, as far as it is *wanted*."""
    if path.endswith(COMPRESSED):
        why = f"{path!r} was compressed by Codex; palimp reads only what is not."
        return nothing_new(_key(path), place, why)
    return news_from_lines(path, place, redact, Lines(found_in, is_line), wanted)


def is_line(entry: Fields) -> bool:
    """Tell whether *entry* is a line of this client's, as no other writes them."""
    return "payload" in entry and "timestamp" in entry


def found_in(given: Slice) -> SliceContent:
    """Return what a slice of a session's lines says."""
    session = _session(given)
    decoded = LineDecoder(_Line)
    pieces: list[Piece] = []
    marks = (*_MESSAGE, _EDIT) if given.has_files else _MESSAGE
    for line in given.lines:
        if not session.is_subagent and any(mark in line for mark in marks) and (entry := decoded(line)):
            piece = _piece_of(entry, session.began_ms)
            pieces += [piece] if piece else []
    return SliceContent(pieces, session.key, session.folder, decoded.skipped)


def _piece_of(line: _Line, began_ms: int) -> Piece | None:
    payload = object_of(line.payload)
    kind = text_of(line.type)
    at_ms = ms_of(line.timestamp) or began_ms
    if kind == "response_item" and text_in(payload, "type") in _CALLS:
        given = field_of(payload, "input") or field_of(payload, "arguments")
        return Piece("assistant", "", at_ms, files=files_of_call(text_in(payload, "name"), given))
    if kind == "response_item" and text_in(payload, "type") == "message":
        role, content = text_in(payload, "role"), field_of(payload, "content")
    elif kind == "message":
        role, content = text_of(line.role), line.content
    else:
        return None
    if role == "assistant":
        return Piece("assistant", "\n\n".join(_texts(content)), at_ms)
    return Piece("user", "\n\n".join(filter(None, map(_typed, _texts(content)))), at_ms) if role == "user" else None


def _texts(content: msgspec.Raw) -> list[str]:
    if is_text(content):
        return [text_of(content)]
    return [text_in(object_of(item), "text") for item in list_of(content)]


def _typed(text: str) -> str:
    """Return what a person typed of a content item in the user's place."""
    text = _REQUEST.sub("", text, count=1) if _REQUEST.match(text) else text
    return "" if _BY_CLIENT.match(text) else typed_by_person(text).strip()


def _session(given: Slice) -> _Session:
    """Return what the first line says of a session."""
    first: Fields = next(entries_of(islice(given.opening, 1)), NO_FIELDS)
    meta = object_of(field_of(first, "payload")) or first
    folder = text_in(meta, "cwd")
    if not folder and "payload" not in first:
        said = _FOLDER.search(b"\n".join(given.opening).decode(errors="replace").replace("\\n", "\n"))
        folder = (said[1] or said[2]).strip() if said else ""
    is_subagent = "subagent" in object_of(field_of(meta, "source")) or text_in(meta, "thread_source") == "subagent"
    return _Session(text_in(meta, "id") or _key(given.path), folder, is_subagent, ms_of(field_of(meta, "timestamp")))


def _key(path: str) -> str:
    stem = Path(path).name.partition(".jsonl")[0]
    found = _ID.search(stem)
    return found[0] if found else stem
