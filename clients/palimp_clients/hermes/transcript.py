"""Hermes' sessions: rows of its database, `~/.hermes/state.db`, run with 0.19.

Hooks' additions to a prompt are in `api_content` alone; rows taken back are not `active`. A place is a row's id; rows
appear whole.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import apsw
import msgspec

from palimp_clients.transcripts.calls import Call, Calls, answer_in, exchanges_text
from palimp_clients.transcripts.folders import folder_of
from palimp_clients.transcripts.foreign_database import SESSION, Unreadable, open_read_only
from palimp_clients.transcripts.json_values import field_of, list_of, object_of, text_in
from palimp_clients.transcripts.session_places import Sought
from palimp_clients.transcripts.turn import SAID, Piece, Redact, SessionFile, SessionNews, Wanted, nothing_new, turns_of
from palimp_clients.transcripts.user_text import typed_by_person
from palimp_clients.transcripts.whole_lines import MESSAGE_LINE_BYTES_MAX, READ_BYTES_MAX, Place

CLIENT: Final = "hermes"

PLACE: Final = re.compile(r"/state\.db#[^/]*$")

ROWS_MAX: Final = 2_000
"""Rows read at once; the rest next time."""

ROW_BYTES: Final = 2 * 1024
"""Assumed bytes of a row: counting would read the whole database."""

CALLS_BEFORE: Final = 64
"""Rows before a place searched for the calls of later results."""

SESSIONS_MAX: Final = 100_000
"""Listed sessions, the newest first."""

_UNTYPED: Final = ("subagent", "cron")
"""Sources of sessions without typed text."""

_PARTS: Final = "\0json:"
"""Prefix of a content that is a list of parts."""

_SUMMARY: Final = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]:")
"""Beginnings of summaries that replace compacted turns."""

_UNANSWERED: Final = ("The user did not provide a response", "The user cancelled.")
"""Beginnings of the client's answers in a person's place."""

_ROWS: Final = (
    "SELECT id, role, CAST(content AS BLOB), CAST(tool_calls AS BLOB), tool_call_id, timestamp FROM messages"
    " WHERE session_id = ? AND active AND NOT coalesce(observed, 0) AND octet_length(coalesce(content, '')) <= ?"
)

_Row = tuple[Any, ...]


def session_files(home: Path, env: Mapping[str, str]) -> Iterator[SessionFile]:
    """Yield the database's sessions. Sizes are estimates."""
    database = _database(home, env)
    if not database.is_file():
        return
    try:
        with open_read_only(str(database)) as connection:
            found = connection.execute(
                "SELECT s.id, count(m.id), max(s.started_at, coalesce(max(m.timestamp), 0)) FROM sessions s"
                " LEFT JOIN messages m ON m.session_id = s.id WHERE s.source NOT IN (?, ?) GROUP BY s.id"
                " ORDER BY 3 DESC LIMIT ?",
                (*_UNTYPED, SESSIONS_MAX),
            ).fetchall()
    except Unreadable:
        found = [("", 0, 0)]  # `news_of` says why
    for key, count, changed_s in found:
        yield SessionFile(
            CLIENT, f"{database}{SESSION}{key}", (count if isinstance(count, int) else 0) * ROW_BYTES, _ms(changed_s)
        )


def places(sought: Sought) -> Iterator[str]:
    """Yield a session's place, if the database has it."""
    database = _database(sought.home, sought.env)
    try:
        with open_read_only(str(database)) as connection:
            _folder(connection, sought.session)
            yield f"{database}{SESSION}{sought.session}"
    except Unreadable:
        return


def news_of(path: str, place: Place, redact: Redact, wanted: Wanted = SAID) -> SessionNews:
    """Return the news of `DATABASE#ID` since *place*."""
    database, _, key = path.rpartition(SESSION)
    try:
        with open_read_only(database) as connection:
            if not key:
                connection.execute("SELECT id, source, started_at FROM sessions LIMIT 1").fetchall()
                return nothing_new("", place, "")
            folder = _folder(connection, key)
            calls = Calls(has_files=wanted.has_files)
            for row in _rows_before(connection, key, place.offset, CALLS_BEFORE):
                _pieces_of(row, calls)
            rows, is_end = _rows_behind(connection, key, place.offset)
            pieces = [piece for row in rows for piece in _pieces_of(row, calls)]
    except Unreadable as error:
        return nothing_new(key, place, str(error))
    end = Place(rows[-1][0]) if rows else place
    return SessionNews(turns_of(pieces, redact, wanted), end, is_end, key, folder, is_anew=place == Place())


def pieces_before(path: str, place: Place | None, most: int) -> list[Piece]:
    """Return some *most* bytes of pieces up to *place*, or the last."""
    database, _, key = path.rpartition(SESSION)
    calls = Calls(has_files=False)
    try:
        with open_read_only(database) as connection:
            _folder(connection, key)
            end = place.offset if place else 2**62
            rows = _rows_before(connection, key, end, min(ROWS_MAX, most // ROW_BYTES))
            return [piece for row in rows for piece in _pieces_of(row, calls)]
    except Unreadable:
        return []


def _database(home: Path, env: Mapping[str, str]) -> Path:
    return folder_of(home, env, "HERMES_HOME", ".hermes") / "state.db"


def _folder(connection: apsw.Connection, key: str) -> str:
    found = connection.execute("SELECT cwd, source FROM sessions WHERE id = ?", (key,)).fetchall()
    if not found or found[0][1] in _UNTYPED:
        raise Unreadable(f"Hermes has no session {key!r} of a person's.")
    return found[0][0] if isinstance(found[0][0], str) else ""


def _rows_before(connection: apsw.Connection, key: str, end: int, count: int) -> list[_Row]:
    statement = f"{_ROWS} AND id <= ? ORDER BY id DESC LIMIT ?"
    return connection.execute(statement, (key, MESSAGE_LINE_BYTES_MAX, end, count)).fetchall()[::-1]


def _rows_behind(connection: apsw.Connection, key: str, start: int) -> tuple[list[_Row], bool]:
    rows: list[_Row] = []
    left = READ_BYTES_MAX
    statement = f"{_ROWS} AND id > ? ORDER BY id LIMIT ?"
    for row in connection.execute(statement, (key, MESSAGE_LINE_BYTES_MAX, start, ROWS_MAX + 1)):
        if len(rows) >= ROWS_MAX or left <= 0:
            return rows, False
        rows.append(row)
        left -= sum(len(value) for value in row if isinstance(value, bytes))
    return rows, True


def _pieces_of(row: _Row, calls: Calls) -> list[Piece]:
    _, role, content, given_calls, call_id, at_s = row
    text, at_ms = _text(content), _ms(at_s)
    if role == "tool":
        call = calls.finish_call(call_id) if isinstance(call_id, str) else None
        return _pieces_of_result(call, text, at_ms) if call and not _has_failed(text) else []
    if text.startswith(_SUMMARY):
        return []
    if role == "user":
        return [Piece("user", typed_by_person(text), at_ms)]
    if role != "assistant":
        return []
    for call in map(object_of, list_of(msgspec.Raw(given_calls or b"[]"))):
        calls.note(text_in(call, "id"), text_in(call, "function", "name"), field_of(call, "function", "arguments"))
    return [Piece("assistant", text, at_ms)] if text else []


def _text(content: bytes | None) -> str:
    said = (content or b"").decode(errors="replace")
    if not said.startswith(_PARTS):
        return said
    parts = map(object_of, list_of(msgspec.Raw(said.removeprefix(_PARTS).encode())))
    return "\n\n".join(text for part in parts if (text := text_in(part, "text")))


def _pieces_of_result(call: Call, result: str, at_ms: int) -> list[Piece]:
    if call.questions:
        return [Piece("user", _answer(result), at_ms)]
    return [Piece("assistant", "", at_ms, files=call.files)] if call.files else []


def _answer(result: str) -> str:
    fields = object_of(msgspec.Raw(result.encode(errors="replace")))
    said = answer_in(field_of(fields, "user_response"))
    return "" if said.startswith(_UNANSWERED) else exchanges_text([(text_in(fields, "question"), said)])


def _has_failed(result: str) -> bool:
    fields = object_of(msgspec.Raw(result.encode(errors="replace")))
    return field_of(fields, "success") == b"false" or bool(text_in(fields, "error"))


def _ms(at_s: Any) -> int:
    return round(at_s * 1000) if isinstance(at_s, int | float) else 0
