"""Gemini CLI's sessions: `~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl`, run with 0.61.

The first line has the session's id. A line of the type `user` or `gemini` is a message; it is written once more, whole,
whenever something is added to it, such as the results of its tools: what it said is taken once. It is known again by
its `id`; one without, which 0.61 does not write, by its time and its words, so that nothing said is lost. A line
`{$set: …}` changes what is known of the session. Its `messages` are a history that the client shortened and
summarized, so that they are left out: what was really said stands in lines of its own.

A subagent's session is in a folder of its own, or its first line says so. Older versions kept each session as one
JSON document, `session-….json`, which was written anew with every message (read, not run).
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from palimp_daemon.runtime.files import read_bounded
from palimp_daemon.text.json_values import (
    NO_FIELDS,
    Fields,
    LineDecoder,
    entries_of,
    field_of,
    is_text,
    is_true,
    list_of,
    ms_of,
    object_of,
    text_in,
    text_of,
)
from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.transcript import Place
from palimp_daemon.text.transcripts.folders import folder_of, session_files_in
from palimp_daemon.text.transcripts.slices import Found, Slice, news_from_lines, unreadable
from palimp_daemon.text.transcripts.turn import Piece, SessionFile, SessionNews, nothing_new, turns_of
from palimp_daemon.text.user_text import typed_by_person

CLIENT: Final = "gemini"

DOCUMENT_BYTES_MAX: Final = 64 * 1024 * 1024
"""Bytes of a session that is one document: it is read as a whole, and a day's work is a few megabytes."""

PROJECTS_BYTES_MAX: Final = 4 * 1024 * 1024
"""Bytes of the list of projects by which a session's folder is known."""

_MESSAGE: Final = (b'"type":"user"', b'"type":"gemini"')

_FILES: Final = re.compile(r"(?s)\n?--- Content from referenced files ---.*")
"""What the client puts behind a request that names files."""


class _Message(msgspec.Struct):
    id: msgspec.Raw = msgspec.Raw(b"")
    type: msgspec.Raw = msgspec.Raw(b"")
    timestamp: msgspec.Raw = msgspec.Raw(b"")
    content: msgspec.Raw = msgspec.Raw(b"")
    displayContent: msgspec.Raw = msgspec.Raw(b"")  # noqa: N815  the client's name


def session_files(home: Path, env: Mapping[str, str]) -> Iterator[SessionFile]:
    """Yield the sessions in `.gemini` of GEMINI_CLI_HOME, or else of the home folder."""
    folder = folder_of(home, env, "GEMINI_CLI_HOME", "") / ".gemini" / "tmp"
    for found in session_files_in(CLIENT, folder, 2, (".jsonl", ".json")):
        path = Path(found.path)
        is_twice = path.suffix == ".json" and path.with_suffix(".jsonl").exists()
        if path.parent.name == "chats" and path.name.startswith("session-") and not is_twice:
            yield found


def news_of(path: str, place: Place, redact: Redactor) -> SessionNews:
    """Return what the session at *path* says since *place*."""
    if path.endswith(".json"):
        return _document_news(path, place, redact)
    return news_from_lines(path, place, redact, found_in)


def found_in(given: Slice) -> Found:
    """Return what a slice of a session's lines says."""
    first = _first(given.opening)
    decoded = LineDecoder(_Message)
    is_subagent = text_in(first, "kind") == "subagent"
    pieces: list[Piece] = []
    taken = {given.memo}
    memo = given.memo
    for line in given.lines:
        message = decoded(line) if not is_subagent and any(kind in line for kind in _MESSAGE) else None
        piece = _piece_of(message) if message else None
        if piece and (memo := _known_by(piece)) not in taken:
            taken.add(memo)
            pieces.append(piece)
    key = text_in(first, "sessionId") or Path(given.path).stem
    folder = "" if given.memo else _folder(given.path)  # it was told with the slice that the memo is of
    return Found(pieces, key, folder, decoded.skipped, memo)


def _first(opening: Iterable[bytes]) -> Fields:
    """Return the first line that names the session."""
    return next((entry for entry in entries_of(opening) if "sessionId" in entry), NO_FIELDS)


def _piece_of(message: _Message) -> Piece | None:
    """Return what a message says; None when it says nothing."""
    kind = text_of(message.type)
    if kind not in ("user", "gemini"):
        return None
    shown = _text(message.displayContent) if kind == "user" else ""
    text = shown or _text(message.content)
    if kind == "user":
        text = typed_by_person(_FILES.sub("", text))
    if not text.strip():
        return None
    return Piece("user" if kind == "user" else "assistant", text, ms_of(message.timestamp), text_of(message.id))


def _text(content: msgspec.Raw) -> str:
    """Return the text of parts: one text, or a list of texts and of objects that have one."""
    if is_text(content):
        return text_of(content)
    return "".join(text_of(part) if is_text(part) else _part_text(object_of(part)) for part in list_of(content))


def _part_text(part: Fields) -> str:
    return "" if is_true(field_of(part, "thought")) else text_in(part, "text")


def _known_by(piece: Piece) -> str:
    """Return by what a message that is written once more is known: its id, or else its time and its words."""
    return _short(piece.message or f"{piece.role} {piece.at_ms} {piece.text}")


def _short(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:12]


def _folder(path: str) -> str:
    """Return the folder of the project whose sessions the file at *path* is among; empty where it is unknown."""
    project = Path(path).parent.parent
    try:
        return read_bounded(project / ".project_root", PROJECTS_BYTES_MAX).decode().strip()
    except (OSError, ValueError):
        pass
    try:
        projects = object_of(msgspec.Raw(read_bounded(project.parent.parent / "projects.json", PROJECTS_BYTES_MAX)))
    except (OSError, ValueError):
        return ""
    for folder, name in object_of(field_of(projects, "projects")).items():
        if project.name in (text_of(name), hashlib.sha256(folder.encode(errors="replace")).hexdigest()):
            return folder
    return ""


# --- sessions that are one document -----------------------------------------------------------------


def _document_news(path: str, place: Place, redact: Redactor) -> SessionNews:
    """Return what a document says: its place counts messages, and its head is a hash of the session's id."""
    try:
        data = read_bounded(Path(path), DOCUMENT_BYTES_MAX)
    except (OSError, ValueError) as error:
        return nothing_new(Path(path).stem, place, unreadable(path, error))
    document = LineDecoder(dict[str, msgspec.Raw])(data) or {}
    key = text_in(document, "sessionId")
    if not key:
        return nothing_new(Path(path).stem, place, f"{path!r} is no whole session: it may just be written.")
    messages = [] if text_in(document, "kind") == "subagent" else list_of(field_of(document, "messages"))
    head = _short(key)
    start = place.offset if place.head == head and place.offset <= len(messages) else 0
    decoded = LineDecoder(_Message)
    found = [piece for raw in messages[start:] if (message := decoded(bytes(raw))) and (piece := _piece_of(message))]
    read_to = Place(len(messages), head)
    turns = turns_of(found, redact)
    is_anew = start == 0
    return SessionNews(
        turns,
        read_to,
        is_end=True,
        key=key,
        folder=_folder(path) if is_anew else "",
        skipped=decoded.skipped,
        is_anew=is_anew,
    )
