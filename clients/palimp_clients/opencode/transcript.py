"""OpenCode's sessions: rows of its database, `<data>/opencode/opencode.db`, run with 1.18.

Left out are `synthetic` and `ignored` parts, subagents (with a parent) and `summary`. A place is the last message's
time and id; a message is read when finished or followed. Before 1.2: JSON files below `storage`, unused beside a
database.
"""

import heapq
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import apsw
import msgspec

from palimp_clients.transcripts.calls import call_of, words_in_result, words_of_refusal
from palimp_clients.transcripts.edited_files import files_of_call
from palimp_clients.transcripts.folders import folder_of, session_files_in
from palimp_clients.transcripts.foreign_database import SESSION, Unreadable, open_read_only
from palimp_clients.transcripts.json_values import (
    Fields,
    LineDecoder,
    field_of,
    is_true,
    list_of,
    ms_of,
    object_of,
    text_in,
)
from palimp_clients.transcripts.session_places import Sought
from palimp_clients.transcripts.turn import SAID, Piece, Redact, SessionFile, SessionNews, Wanted, nothing_new, turns_of
from palimp_clients.transcripts.user_text import typed_by_person
from palimp_clients.transcripts.whole_lines import MESSAGE_LINE_BYTES_MAX, READ_BYTES_MAX, Place
from palimp_protocol.env.plain_files import read_bounded

CLIENT: Final = "opencode"

PLACE: Final = re.compile(r"\.db#[^/]*$|/storage/session/[^/]+/ses_[^/]+\.json$")

MESSAGES_MAX: Final = 500
"""Messages read at once; the rest next time."""

MESSAGE_BYTES: Final = 8 * 1024
"""Assumed bytes of a message with parts: counting would read the whole database."""

SESSIONS_MAX: Final = 100_000
"""Listed sessions of one database, the newest first."""

PARTS_MAX: Final = 10_000
"""Parts with words read per message, READ_BYTES_MAX of them; answers have a few."""

FILES_MAX: Final = 20_000
"""Files read of a session's messages, or of a message's parts."""


_ARGUMENT: Final = re.compile(r'(?s)"((?:[^"\\]|\\.)*)"')

_SAID: Final = (b'"type":"text"', b'"type": "text"')
"""Marks of a part with words. Quotes in texts are escaped, so that few others have it, and no tool's output of
megabytes.
"""

_EDITED: Final = tuple(f'"tool":"{name}"'.encode() for name in ("edit", "write", "multiedit", "patch", "apply_patch"))

_ASKED: Final = (b'"tool":"question"', b'"tool": "question"')

_REFUSED: Final = b"The user rejected permission to use this specific tool call with"

_TOLD: Final = (*_SAID, *_ASKED, _REFUSED)

_UNDERSCORED: Final = ("apply_patch",)
"""The client's own tools with an underscore in their names; others with one are MCP servers'."""

_KIND: Final = b'"type"'
"""In every part; one without it counts as damaged."""


_END: Final = Place(2**63 - 1)
"""Behind every message."""


class _Session(NamedTuple):
    key: str
    folder: str
    is_subagent: bool


class _Message(NamedTuple):
    key: str
    created_ms: int
    data: Fields
    parts: list[bytes]


def session_files(home: Path, env: Mapping[str, str]) -> Iterator[SessionFile]:
    """Yield databases' sessions, else old files'. Sizes are estimates."""
    found = databases(home, env)
    for database in found:
        yield from _sessions_in(database)
    if not found:
        yield from session_files_in(CLIENT, _opencode_folder(home, env) / "storage" / "session", 1, (".json",))


def _opencode_folder(home: Path, env: Mapping[str, str]) -> Path:
    return folder_of(home, env, "XDG_DATA_HOME", ".local/share") / "opencode"


def databases(home: Path, env: Mapping[str, str]) -> list[Path]:
    """Return databases of XDG_DATA_HOME's folder, and OPENCODE_DB."""
    folder = _opencode_folder(home, env)
    found = sorted(folder.glob("opencode*.db"))
    if (given := env.get("OPENCODE_DB", "").strip()) not in ("", ":memory:"):
        found = [*(path for path in found if path != folder / given), folder / given]
    return found


def places(sought: Sought) -> Iterator[str]:
    """Yield a session's databases."""
    for database in databases(sought.home, sought.env):
        if has_session(str(database), sought.session):
            yield f"{database}{SESSION}{sought.session}"


def has_session(database: str, key: str) -> bool:
    """Tell whether *database* has session *key*; False while unreadable."""
    try:
        with open_read_only(database) as connection:
            return bool(_session(connection, key).key)
    except Unreadable:
        return False


def news_of(path: str, place: Place, redact: Redact, wanted: Wanted = SAID) -> SessionNews:
    """Return the news of `DATABASE#ID`, or a file, since *place*."""
    database, _, key = path.rpartition(SESSION)
    if database and not key:
        return _why_nothing(database, place)
    marks = (*_TOLD, *_EDITED) if wanted.has_files else _TOLD
    try:
        if not database:
            file = Path(path)
            return _news(_session_of_file(file), _messages_of_files(file, place, marks), place, redact, wanted)
        with open_read_only(database) as connection:
            return _news(_session(connection, key), _messages(connection, key, place, marks), place, redact, wanted)
    except Unreadable as error:
        return nothing_new(key or Path(path).stem, place, str(error))


def pieces_before(path: str, place: Place | None, most: int) -> list[Piece]:
    """Return some *most* bytes of a database's pieces up to *place*, or the last."""
    database, _, key = path.rpartition(SESSION)
    decoded = LineDecoder(dict[str, msgspec.Raw])
    try:
        with open_read_only(database) as connection:
            if _session(connection, key).is_subagent:
                return []
            start = _place_before(connection, key, place or _END, min(MESSAGES_MAX, most // MESSAGE_BYTES))
            messages = _messages(connection, key, start, _TOLD)
            known = (each for each in messages if place is None or (each.created_ms, each.key) <= place)
            return [piece for message in known for piece in _pieces_of(message, decoded)]
    except Unreadable:
        return []


def _news(session: _Session, messages: Iterator[_Message], place: Place, redact: Redact, wanted: Wanted) -> SessionNews:
    decoded = LineDecoder(dict[str, msgspec.Raw])
    pieces: list[Piece] = []
    read_to, left, is_end = place, READ_BYTES_MAX, True
    waiting: _Message | None = None
    for count, message in enumerate(messages):
        if count >= MESSAGES_MAX or left <= 0:
            is_end = False
            break
        if waiting:
            pieces += _pieces_of(waiting, decoded)
            read_to = Place(waiting.created_ms, waiting.key)
        left -= sum(map(len, message.parts))
        waiting = message
    if waiting and (not is_end or _is_finished(waiting)):
        pieces += _pieces_of(waiting, decoded)
        read_to = Place(waiting.created_ms, waiting.key)
    turns = [] if session.is_subagent else turns_of(pieces, redact, wanted)
    return SessionNews(turns, read_to, is_end, session.key, session.folder, decoded.skipped, is_anew=place == Place())


def _is_finished(message: _Message) -> bool:
    """A person's message has no such mark."""
    is_agent = text_in(message.data, "role") == "assistant"
    return is_agent and (bool(ms_of(field_of(message.data, "time", "completed"))) or "error" in message.data)


def _pieces_of(message: _Message, decoded: LineDecoder[dict[str, msgspec.Raw]]) -> list[Piece]:
    if not message.data:
        decoded.skip()  # damaged, or too large
    role = text_in(message.data, "role")
    if role not in ("user", "assistant") or (role == "assistant" and is_true(field_of(message.data, "summary"))):
        return []
    parts = [part for data in message.parts if (part := decoded(data))]
    texts = [text_in(part, "text") for part in parts if _is_said(part)]
    if role == "user":
        return [Piece("user", "\n\n".join(filter(None, map(_prompt_of, texts))), message.created_ms)]
    folder = text_in(message.data, "path", "cwd")
    done = [
        part
        for part in parts
        if text_in(part, "type") == "tool" and text_in(part, "state", "status") in ("", "completed")
    ]
    files = [file for part in done for file in files_of_call(text_in(part, "tool"), field_of(part, "state", "input"))]
    said = Piece("assistant", "\n\n".join(texts), message.created_ms, files=tuple(files), folder=folder)
    answers = (_answer_of(part, message) for part in parts if text_in(part, "type") == "tool")
    return [said, *(answer._replace(folder=folder) for answer in answers if answer)]


def _answer_of(part: Fields, message: _Message) -> Piece | None:
    name, status = text_in(part, "tool"), text_in(part, "state", "status")
    call = call_of(name, field_of(part, "state", "input"), has_files=False)
    answers = field_of(part, "state", "metadata", "answers")
    text = ""
    if status == "error" and ("_" not in name or name in _UNDERSCORED):
        text = words_of_refusal(text_in(part, "state", "error"))
    elif call and status in ("", "completed"):
        text = words_in_result(call, answers if list_of(answers) else field_of(part, "state", "output"))
    at_ms = ms_of(field_of(part, "state", "time", "end")) or message.created_ms
    return Piece("user", text, at_ms) if text else None


def _prompt_of(text: str) -> str:
    """`opencode run` quotes an argument with a space."""
    given = _ARGUMENT.fullmatch(text)
    return typed_by_person(given[1].replace('\\"', '"') if given else text)


def _is_said(part: Fields) -> bool:
    by_client = is_true(field_of(part, "synthetic")) or is_true(field_of(part, "ignored"))
    return text_in(part, "type") == "text" and not by_client


# --- the database -------------------------------------------------------------------------------------


def _sessions_in(database: Path) -> Iterator[SessionFile]:
    try:
        with open_read_only(str(database)) as connection:
            found = connection.execute(
                "SELECT s.id, count(m.id), max(s.time_updated, coalesce(max(m.time_updated), 0)) FROM session s"
                " LEFT JOIN message m ON m.session_id = s.id WHERE s.parent_id IS NULL GROUP BY s.id"
                " ORDER BY 3 DESC LIMIT ?",
                (SESSIONS_MAX,),
            ).fetchall()
    except Unreadable:
        found = [("", 0, 0)]  # `news_of` says why
    for key, count, updated_ms in found:
        yield SessionFile(CLIENT, f"{database}{SESSION}{key}", _whole(count) * MESSAGE_BYTES, _whole(updated_ms))


def _why_nothing(database: str, place: Place) -> SessionNews:
    try:
        with open_read_only(database) as connection:
            connection.execute("SELECT id, parent_id, time_updated FROM session LIMIT 1").fetchall()
    except Unreadable as error:
        return nothing_new("", place, str(error))
    return nothing_new("", place, "")


def _session(connection: apsw.Connection, key: str) -> _Session:
    found = connection.execute("SELECT directory, parent_id FROM session WHERE id = ?", (key,)).fetchall()
    if not found:
        raise Unreadable(f"OpenCode has no session {key!r} any more.")
    [(folder, parent)] = found
    return _Session(key, folder if isinstance(folder, str) else "", bool(parent))


def _place_before(connection: apsw.Connection, key: str, end: Place, count: int) -> Place:
    found = connection.execute(
        "SELECT time_created, id FROM message WHERE session_id = ? AND (time_created, id) <= (?, ?)"
        " AND typeof(time_created) = 'integer' ORDER BY time_created DESC, id DESC LIMIT 1 OFFSET ?",
        (key, *end, count),
    ).fetchall()
    return Place(_whole(found[0][0]), str(found[0][1])) if found else Place()


def _messages(connection: apsw.Connection, key: str, place: Place, marks: Sequence[bytes]) -> Iterator[_Message]:
    is_marked = "instr(bytes, ?) OR " * len(marks)
    found = connection.execute(
        "SELECT id, time_created, iif(octet_length(data) <= ?, CAST(data AS BLOB), x'') FROM message"
        " WHERE session_id = ? AND (time_created, id) > (?, ?) AND typeof(time_created) = 'integer'"
        " ORDER BY time_created, id LIMIT ?",
        (MESSAGE_LINE_BYTES_MAX, key, place.offset, place.head, MESSAGES_MAX + 1),
    )
    for message, created_ms, data in found:
        parts = connection.execute(
            "SELECT bytes FROM (SELECT id, CAST(data AS BLOB) bytes FROM part WHERE message_id = ?"
            f" AND octet_length(data) <= ?) WHERE {is_marked} NOT instr(bytes, ?) ORDER BY id LIMIT ?",
            (message, MESSAGE_LINE_BYTES_MAX, *marks, _KIND, PARTS_MAX),
        )
        texts = _first_parts(_bytes(part) for (part,) in parts)
        yield _Message(str(message), _whole(created_ms), object_of(msgspec.Raw(_bytes(data))), texts)


def _first_parts(parts: Iterable[bytes]) -> list[bytes]:
    """PARTS_MAX and READ_BYTES_MAX and one at most."""
    taken: list[bytes] = []
    left = READ_BYTES_MAX
    for part in islice(parts, PARTS_MAX):
        taken.append(part)
        left -= len(part)
        if left <= 0:
            break
    return taken


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode(errors="replace")


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else 0


# --- the files of old versions ------------------------------------------------------------------------


def _session_of_file(path: Path) -> _Session:
    info = _object_in(path)
    if not info:
        raise Unreadable(f"{str(path)!r} is no session of OpenCode's, or cannot be read.")
    return _Session(path.stem, text_in(info, "directory"), bool(text_in(info, "parentID")))


def _messages_of_files(path: Path, place: Place, marks: Sequence[bytes] = _TOLD) -> Iterator[_Message]:
    """MESSAGES_MAX and one at most; files are reread, since all may be too much."""
    storage = path.parent.parent.parent
    files = islice((storage / "message" / path.stem).glob("*.json"), FILES_MAX)
    after = (at for file in files if (at := _place_of(file)) and at > place)
    for created_ms, key in heapq.nsmallest(MESSAGES_MAX + 1, after):
        data = _object_in(storage / "message" / path.stem / f"{key}.json")
        names = sorted(islice((storage / "part" / key).glob("*.json"), FILES_MAX))
        read = filter(None, map(_read, names))
        parts = _first_parts(part for part in read if any(mark in part for mark in marks) or _KIND not in part)
        yield _Message(key, created_ms, data, parts)


def _place_of(file: Path) -> tuple[int, str] | None:
    data = _object_in(file)
    return (ms_of(field_of(data, "time", "created")), file.stem) if data else None


def _object_in(path: Path) -> Fields:
    return object_of(msgspec.Raw(_read(path)))


def _read(path: Path) -> bytes:
    try:
        return read_bounded(path, MESSAGE_LINE_BYTES_MAX)
    except (OSError, ValueError):
        return b""
