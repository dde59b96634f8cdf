"""Codex's sessions: `<CODEX_HOME>/sessions/<year>/<month>/<day>/rollout-<time>-<id>.jsonl`, run with 0.171.

A line is `{timestamp, type, payload}`, until autumn 2025 the payload alone. `event_msg` repeats `response_item`s;
`thread_rolled_back` takes back. A fork begins with a copy (`forks`). `.jsonl.zst` and subagents are not read.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from palimp_clients.codex.forks import FORKS_MAX, PIECES_MAX, rollouts_near, without_new_times
from palimp_clients.transcripts.calls import Call, Calls, answered_text
from palimp_clients.transcripts.folders import folder_of, session_files_in
from palimp_clients.transcripts.json_values import (
    NO_FIELDS,
    Fields,
    LineDecoder,
    count_of,
    entries_of,
    field_of,
    is_text,
    list_of,
    ms_of,
    object_of,
    text_as_raw,
    text_in,
    text_of,
)
from palimp_clients.transcripts.session_places import Sought, files_ending
from palimp_clients.transcripts.slices import BUFFER_BYTES, Lines, Opening, Slice, SliceContent, news_from_lines
from palimp_clients.transcripts.turn import SAID, Piece, Redact, SessionFile, SessionNews, Wanted, nothing_new
from palimp_clients.transcripts.user_text import typed_by_person
from palimp_clients.transcripts.whole_lines import Place, WholeLines
from palimp_protocol.env.plain_files import open_plain

CLIENT: Final = "codex"

PLACE: Final = re.compile(r"/rollout-[^/]+\.jsonl(?:\.zst)?$")

_UUID_7: Final = re.compile(r"([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}")
"""Ids that begin with their time of creation."""

COMPRESSED: Final = ".jsonl.zst"

_MESSAGE: Final = (b'"type":"message"', b'"type": "message"')

_EDIT: Final = b"*** Begin Patch"
"""Mark of a call that edits files, by any tool."""

_NEAR_BYTES: Final = 512
"""Bytes of a line that hold its kind."""

_OTHERS: Final = (b'"turn_context"', b'"thread_rolled_back"', b'"request_user_input"')
"""Marks of other lines that count: the folder, withdrawn turns, questions to the user."""

_RESULTS: Final = ("custom_tool_call_output", "function_call_output", "local_shell_call_output")

_FAILED: Final = re.compile(
    r"(?im)\A\s*(?:apply_patch verification failed|(?:patch|exec\w*|command|write\w*)? ?(?:was )?"
    r"(?:rejected|denied|failed)|aborted|error\b|invalid patch)"
    r"|\brejected by (?:the )?user|^(?:Exit code:|Process exited with code) [1-9]"
)
"""Output of a call that changed nothing."""

_CALLS: Final = ("custom_tool_call", "function_call", "local_shell_call")

_UNTYPED: Final = frozenset({"subagent", "internal", "memory_consolidation", "guardian_review"})
"""Sources of sessions that Codex begins by itself."""

_ID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$")

_REQUEST: Final = re.compile(
    r"(?s)\s*# (?:Context from my IDE setup|Files mentioned by the user):.*?\n## My request for Codex:\s*"
)
"""An editor's text before a typed request."""

_BY_CLIENT: Final = re.compile(
    r"\s*(?:</?image\b[^>]*>\s*$|Another language model started to solve this problem"
    r"|Warning: (?:apply_patch was requested via|Your account was flagged|The maximum number of unified exec))"
)
"""Items without words of a person: marks around a picture, a summary's preface, warnings."""

_FOLDER: Final = re.compile(r"<cwd>([^<]+)</cwd>|Current working directory: ([^\n]+)")


class _Line(msgspec.Struct):
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
    forked_from: str


def session_files(home: Path, env: Mapping[str, str]) -> Iterator[SessionFile]:
    """Yield the sessions in CODEX_HOME, else `~/.codex`, also archived."""
    folder = folder_of(home, env, "CODEX_HOME", ".codex")
    for name, depth in (("sessions", 3), ("archived_sessions", 0)):
        for found in session_files_in(CLIENT, folder / name, depth, (".jsonl", COMPRESSED)):
            is_twice = found.path.endswith(COMPRESSED) and Path(found.path.removesuffix(".zst")).exists()
            if Path(found.path).name.startswith("rollout-") and not is_twice:
                yield found


def memory_files(home: Path, env: Mapping[str, str]) -> list[Path]:
    """Return files of Codex' own memory read by every session."""
    kept = folder_of(home, env, "CODEX_HOME", ".codex")
    folder = next((each for each in (kept / "memories_v2", kept / "memories") if each.is_dir()), None)
    return [folder / name for name in ("memory_summary.md", "MEMORY.md")] if folder else []


def places(sought: Sought) -> Iterator[str]:
    """Yield a session's places, by its id's day in any zone."""
    kept = folder_of(sought.home, sought.env, "CODEX_HOME", ".codex") / "sessions"
    made = _UUID_7.fullmatch(sought.session)
    try:
        at = datetime.fromtimestamp(int(made[1] + made[2], 16) / 1000) if made else datetime.now()  # noqa: DTZ005, DTZ006  as the client's folders
        days = (at, at - timedelta(days=1), at + timedelta(days=1))
    except (OverflowError, OSError, ValueError):
        return
    for day in days:
        yield from files_ending(kept / f"{day:%Y/%m/%d}", f"-{sought.session}.jsonl")


def news_of(path: str, place: Place, redact: Redact, wanted: Wanted = SAID) -> SessionNews:
    """Return the *wanted* news since *place*."""
    if path.endswith(COMPRESSED):
        why = f"{path!r} was compressed by Codex; palimp reads only what is not."
        return nothing_new(_key(path), place, why)
    return news_from_lines(Lines(found_in, is_line), path, place, redact, wanted)


def is_line(entry: Fields) -> bool:
    """Tell whether *entry* is this client's alone."""
    return "payload" in entry and "timestamp" in entry


def found_in(given: Slice) -> SliceContent:
    """Return a slice's content."""
    return _slice_content(given, 0)


def _slice_content(given: Slice, depth: int) -> SliceContent:
    session = _session(given)
    known = _Reading(session, has_files=given.has_files)
    for line in given.before:
        known.read(line)
    reading = _Reading(session, has_files=given.has_files, calls=known.calls, known=known.pieces)
    for line in given.lines:
        reading.read(line)
    pieces, memo = reading.pieces, ""
    if session.forked_from:
        before = partial(_said_in, session.forked_from, given.path, depth)
        pieces, memo = without_new_times(pieces, before, session.began_ms, given.memo)
    folder = session.folder if not given.memo else ""
    return SliceContent(pieces, session.key, folder, reading.decoded.skipped, memo, reading.taken_back)


class _Reading:
    def __init__(
        self, session: _Session, *, has_files: bool, calls: Calls | None = None, known: Sequence[Piece] = ()
    ) -> None:
        self.decoded = LineDecoder(_Line)
        self.calls = calls or Calls(has_files=has_files)
        self.pieces: list[Piece] = []
        self.taken_back: list[Piece] = []
        self._known = list(known)
        self._session = session
        self._folder = ""
        self._marks = (*_MESSAGE, *((_EDIT,) if has_files else ()))

    def read(self, line: bytes) -> None:
        near = line[:_NEAR_BYTES]
        is_wanted = any(mark in line for mark in self._marks) or any(mark in near for mark in _OTHERS)
        is_wanted = is_wanted or self.calls.are_named_in(line)
        if self._session.is_subagent or not is_wanted or not (entry := self.decoded(line)):
            return
        payload, kind = object_of(entry.payload), text_of(entry.type)
        if kind == "turn_context":
            self._folder = text_in(payload, "cwd") or self._folder
        elif kind == "event_msg":
            if text_in(payload, "type") == "thread_rolled_back":
                self._take_back(count_of(field_of(payload, "num_turns")))
        elif piece := _piece_of(entry, self._session.began_ms, self.calls):
            self.pieces.append(piece._replace(folder=self._folder))

    def _take_back(self, count: int) -> None:
        for _ in range(count):
            if (place := _last_request(self.pieces)) is not None:
                del self.pieces[place:]
            elif (place := _last_request(self._known)) is not None:
                self.pieces.clear()
                self.taken_back = [*self._known[place:], *self.taken_back]
                del self._known[place:]
            else:
                return


def _last_request(pieces: Sequence[Piece]) -> int | None:
    places = range(len(pieces) - 1, -1, -1)
    return next((place for place in places if pieces[place].role == "user" and pieces[place].text.strip()), None)


def _piece_of(line: _Line, began_ms: int, calls: Calls) -> Piece | None:
    payload = object_of(line.payload)
    kind = text_of(line.type)
    at_ms = ms_of(line.timestamp) or began_ms
    inner = text_in(payload, "type")
    if kind == "response_item" and inner in _CALLS:
        given = field_of(payload, "input") or field_of(payload, "arguments")
        calls.note(text_in(payload, "call_id"), text_in(payload, "name"), given)
        return None
    if kind == "response_item" and inner in _RESULTS:
        call = calls.finish_call(text_in(payload, "call_id"))
        return _piece_of_result(call, field_of(payload, "output"), at_ms) if call else None
    if kind == "response_item" and inner == "message":
        role, content = text_in(payload, "role"), field_of(payload, "content")
    elif kind == "message":
        role, content = text_of(line.role), line.content
    else:
        return None
    if role == "assistant":
        return Piece("assistant", "\n\n".join(_texts(content)), at_ms)
    return Piece("user", "\n\n".join(filter(None, map(_prompt_of, _texts(content)))), at_ms) if role == "user" else None


def _piece_of_result(call: Call, output: msgspec.Raw, at_ms: int) -> Piece | None:
    text = "\n".join(_texts(output)) or text_in(object_of(output), "content")
    if call.questions:
        return Piece("user", answered_text(call.questions, output if object_of(output) else text_as_raw(text)), at_ms)
    return None if _has_failed(text) else Piece("assistant", "", at_ms, files=call.files)


def _has_failed(text: str) -> bool:
    fields = object_of(msgspec.Raw(text.encode(errors="replace"))) if text.startswith("{") else NO_FIELDS
    status = bytes(field_of(fields, "metadata", "exit_code")).strip()
    return status not in (b"", b"0") or bool(_FAILED.search(text))


def _said_in(key: str, path: str, depth: int) -> list[Piece]:
    found = next(iter(rollouts_near(Path(path), key)), None) if depth < FORKS_MAX and Path(path).is_absolute() else None
    pieces: list[Piece] = []
    try:
        if found is not None:
            with open_plain(found, buffer_bytes=BUFFER_BYTES) as stream:
                start, memo, is_end = 0, "", False
                while not is_end and len(pieces) < PIECES_MAX:
                    lines = WholeLines(stream, start)
                    said = _slice_content(Slice(str(found), Opening(stream.fileno()), iter(lines), memo), depth + 1)
                    pieces += said.pieces
                    start, memo, is_end = lines.end, said.memo, lines.is_end
    except (OSError, ValueError):
        pass  # what was read of it stays
    return pieces


def _texts(content: msgspec.Raw) -> list[str]:
    if is_text(content):
        return [text_of(content)]
    return [text_in(object_of(item), "text") for item in list_of(content)]


def _prompt_of(text: str) -> str:
    text = _REQUEST.sub("", text, count=1) if _REQUEST.match(text) else text
    return "" if _BY_CLIENT.match(text) else typed_by_person(text).strip()


def _session(given: Slice) -> _Session:
    first: Fields = next(entries_of(islice(given.opening, 1)), NO_FIELDS)
    meta = object_of(field_of(first, "payload")) or first
    folder = text_in(meta, "cwd")
    if not folder and "payload" not in first:
        said = _FOLDER.search(b"\n".join(given.opening).decode(errors="replace").replace("\\n", "\n"))
        folder = (said[1] or said[2]).strip() if said else ""
    source = object_of(field_of(meta, "source"))
    is_subagent = not _UNTYPED.isdisjoint(source) or text_in(meta, "thread_source") in _UNTYPED
    key, began_ms = text_in(meta, "id") or _key(given.path), ms_of(field_of(meta, "timestamp"))
    return _Session(key, folder, is_subagent, began_ms, text_in(meta, "forked_from_id"))


def _key(path: str) -> str:
    stem = Path(path).name.partition(".jsonl")[0]
    found = _ID.search(stem)
    return found[0] if found else stem
