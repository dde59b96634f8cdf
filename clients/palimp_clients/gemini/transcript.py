"""Gemini CLI's sessions: `~/.gemini/tmp/<project>/chats/session-<time>-<id>.jsonl`, run with 0.61.

A message is rewritten at each addition, and known by `id`, or by time and words. `{$set: {messages}}` is the history
from then on, its summary left out; `{$rewindTo: id}` takes back. Older: one JSON document, `session-….json`.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from palimp_clients.transcripts import slices
from palimp_clients.transcripts.calls import call_of, words_in_result
from palimp_clients.transcripts.edited_files import files_of_call
from palimp_clients.transcripts.folders import folder_of, session_files_in
from palimp_clients.transcripts.json_values import (
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
from palimp_clients.transcripts.session_places import Sought, files_ending
from palimp_clients.transcripts.slices import Lines, Slice, SliceContent, first_texts_of, news_from_lines, unreadable
from palimp_clients.transcripts.turn import SAID, Piece, Redact, SessionFile, SessionNews, Wanted, nothing_new, turns_of
from palimp_clients.transcripts.user_text import typed_by_person
from palimp_clients.transcripts.whole_lines import Place
from palimp_protocol.env.plain_files import read_bounded

CLIENT: Final = "gemini"

PLACE: Final = re.compile(r"/chats/session-[^/]+\.jsonl?$")

DOCUMENT_BYTES_MAX: Final = 64 * 1024 * 1024
"""Bytes of a session in one document, read whole; a day's work is some megabytes."""

PROJECTS_BYTES_MAX: Final = 4 * 1024 * 1024
"""Bytes of the list that names each session folder's project."""

_MESSAGE: Final = (b'"type":"user"', b'"type":"gemini"', b'"type": "user"', b'"type": "gemini"')

_SET: Final = b'"$set"'
_REWIND: Final = b'"$rewindTo"'

_ACKNOWLEDGED: Final = "Got it. Thanks for the additional context!"
"""The agent's answer behind the client's summary."""

_FILES: Final = re.compile(r"(?s)\n?--- Content from referenced files ---.*")
"""Contents of files that a request names, appended by the client."""


class _Message(msgspec.Struct):
    id: msgspec.Raw = msgspec.Raw(b"")
    type: msgspec.Raw = msgspec.Raw(b"")
    timestamp: msgspec.Raw = msgspec.Raw(b"")
    content: msgspec.Raw = msgspec.Raw(b"")
    displayContent: msgspec.Raw = msgspec.Raw(b"")  # noqa: N815  the client's name
    toolCalls: msgspec.Raw = msgspec.Raw(b"")  # noqa: N815  the same


def session_files(home: Path, env: Mapping[str, str]) -> Iterator[SessionFile]:
    """Yield the sessions in `.gemini`, of GEMINI_CLI_HOME or home."""
    for found in session_files_in(CLIENT, _gemini_folder(home, env) / "tmp", 2, (".jsonl", ".json")):
        path = Path(found.path)
        is_twice = path.suffix == ".json" and path.with_suffix(".jsonl").exists()
        if path.parent.name == "chats" and path.name.startswith("session-") and not is_twice:
            yield found


def _gemini_folder(home: Path, env: Mapping[str, str]) -> Path:
    return folder_of(home, env, "GEMINI_CLI_HOME", "") / ".gemini"


def _project_folders(home: Path, env: Mapping[str, str], folder: str) -> list[Path]:
    kept = _gemini_folder(home, env)
    names = _project_names(kept)
    above = [folder, *map(str, Path(folder).parents)] if folder.startswith("/") else []
    hashed = [hashlib.sha256(each.encode(errors="replace")).hexdigest() for each in above]
    return [kept / "tmp" / name for name in [*(names[each] for each in above if each in names), *hashed]]


def memory_files(home: Path, env: Mapping[str, str], folder: str) -> list[Path]:
    """Return possible files of Gemini CLI's own memory for *folder*."""
    kept = _gemini_folder(home, env)
    hashed = hashlib.sha256(folder.encode(errors="replace")).hexdigest()
    name = _project_names(kept).get(folder, "")
    return [kept / "tmp" / each / "memory" / "MEMORY.md" for each in (name, hashed) if each and "/" not in each]


def places(sought: Sought) -> Iterator[str]:
    """Yield the session's files, named by its id's beginning."""
    for project in _project_folders(sought.home, sought.env, sought.folder):
        for path in files_ending(project / "chats", f"-{sought.session[:8]}.jsonl"):
            if first_texts_of(path, "sessionId") == [sought.session]:
                yield path


def _project_names(kept: Path) -> dict[str, str]:
    try:
        projects = object_of(msgspec.Raw(read_bounded(kept / "projects.json", PROJECTS_BYTES_MAX)))
    except (OSError, ValueError):
        return {}
    return {folder: text_of(name) for folder, name in object_of(field_of(projects, "projects")).items()}


def news_of(path: str, place: Place, redact: Redact, wanted: Wanted = SAID) -> SessionNews:
    """Return the *wanted* news since *place*."""
    if path.endswith(".json"):
        return _document_news(path, place, redact, wanted)
    return news_from_lines(Lines(found_in, is_line), path, place, redact, wanted)


def is_line(entry: Fields) -> bool:
    """Tell whether *entry* is this client's alone."""
    return "projectHash" in entry and "sessionId" in entry


def found_in(given: Slice) -> SliceContent:
    """Return a slice's content."""
    first = next((entry for entry in entries_of(given.opening) if "sessionId" in entry), NO_FIELDS)
    is_subagent = text_in(first, "kind") == "subagent"
    known = _Reading("", has_files=given.has_files)
    for line in given.before if not is_subagent else ():
        known.read(line)
    reading = _Reading(given.memo, has_files=given.has_files, known=known)
    for line in given.lines:
        if not is_subagent:
            reading.read(line)
    key = text_in(first, "sessionId") or Path(given.path).stem
    folder = "" if given.memo else _folder(given.path)  # it was told with the slice that the memo is of
    pieces = [piece for _, said in reading.messages for piece in said]
    taken_back = [piece for _, said in reading.taken_back for piece in said]
    return SliceContent(pieces, key, folder, reading.decoded.skipped, reading.memo, taken_back)


_Said = tuple[str, list[Piece]]


class _Reading:
    def __init__(self, memo: str, *, has_files: bool, known: "_Reading | None" = None) -> None:
        self.decoded = LineDecoder(_Message)
        self.messages: list[_Said] = []
        self.taken_back: list[_Said] = []
        self.memo = memo
        self._has_files = has_files
        self._known = known.messages if known else []
        self.taken = {memo, *(known.taken if known else ())}

    def read(self, line: bytes) -> None:
        if _REWIND in line and (target := text_in(object_of(msgspec.Raw(line.strip())), "$rewindTo")):
            self._rewind(target)
        elif _SET in line and b'"messages"' in line:
            for raw in list_of(field_of(object_of(msgspec.Raw(line.strip())), "$set", "messages")):
                if message := self.decoded(bytes(raw)):
                    self._take(message)
        elif any(kind in line for kind in _MESSAGE) and (message := self.decoded(line)):
            self._take(message)

    def _take(self, message: _Message) -> None:
        said: list[Piece] = []
        for piece in _pieces_of(message):
            if (known := _known_by(piece)) not in self.taken:
                self.memo = known
                self.taken.add(known)
                said.append(piece)
        if self._has_files and (files := _files_of(message)):
            said.append(Piece("assistant", "", ms_of(message.timestamp), text_of(message.id), files))
        self.messages.append((text_of(message.id), said))

    def _rewind(self, target: str) -> None:
        place = _place_of(self.messages, target)
        if place is None:
            self.messages.clear()
            first = _place_of(self._known, target) or 0
            self.taken_back = [*self._known[first:], *self.taken_back]
            del self._known[first:]
        else:
            del self.messages[place:]


def _place_of(messages: Sequence[_Said], message_id: str) -> int | None:
    return next((place for place, (known, _) in enumerate(messages) if known == message_id), None)


def _pieces_of(message: _Message) -> list[Piece]:
    piece = _piece_of(message)
    return [*([piece] if piece else []), *_answers_of(message)]


def _answers_of(message: _Message) -> Iterator[Piece]:
    for call in map(object_of, list_of(message.toolCalls)) if text_of(message.type) == "gemini" else ():
        asked = call_of(text_in(call, "name"), field_of(call, "args"), has_files=False)
        if asked and _has_succeeded(call):
            outputs = [
                field_of(object_of(part), "functionResponse", "response", "output")
                for part in list_of(field_of(call, "result"))
            ]
            text = "\n\n".join(filter(None, (words_in_result(asked, output) for output in outputs)))
            at_ms = ms_of(field_of(call, "timestamp")) or ms_of(message.timestamp)
            if text:
                yield Piece("user", text, at_ms, f"{text_of(message.id)} {text_in(call, 'id')}")


def _has_succeeded(call: Fields) -> bool:
    return text_in(call, "status") in ("", "success")


def _piece_of(message: _Message) -> Piece | None:
    kind = text_of(message.type)
    if kind not in ("user", "gemini"):
        return None
    shown = _text(message.displayContent) if kind == "user" else ""
    text = shown or _text(message.content)
    if kind == "user":
        text = typed_by_person(_FILES.sub("", text))
    if not text.strip() or text.strip() == _ACKNOWLEDGED:
        return None
    return Piece("user" if kind == "user" else "assistant", text, ms_of(message.timestamp), text_of(message.id))


def _files_of(message: _Message) -> tuple[str, ...]:
    calls = map(object_of, list_of(message.toolCalls)) if text_of(message.type) == "gemini" else ()
    done = filter(_has_succeeded, calls)
    return tuple(file for call in done for file in files_of_call(text_in(call, "name"), field_of(call, "args")))


def _text(content: msgspec.Raw) -> str:
    if is_text(content):
        return text_of(content)
    return "".join(text_of(part) if is_text(part) else _part_text(object_of(part)) for part in list_of(content))


def _part_text(part: Fields) -> str:
    return "" if is_true(field_of(part, "thought")) else text_in(part, "text")


def _known_by(piece: Piece) -> str:
    return _short(piece.message or f"{piece.role} {piece.at_ms} {piece.text}")


def _short(text: str) -> str:
    return hashlib.sha256(text.encode(errors="replace")).hexdigest()[:12]


def _folder(path: str) -> str:
    project = Path(path).parent.parent
    try:
        return read_bounded(project / ".project_root", PROJECTS_BYTES_MAX).decode().strip()
    except (OSError, ValueError):
        pass
    for folder, name in _project_names(project.parent.parent).items():
        if project.name in (name, hashlib.sha256(folder.encode(errors="replace")).hexdigest()):
            return folder
    return ""


# --- sessions that are one document -----------------------------------------------------------------


def _document_news(path: str, place: Place, redact: Redact, wanted: Wanted) -> SessionNews:
    """Its place counts messages; its head is a hash of the session's id."""
    try:
        data = read_bounded(Path(path), DOCUMENT_BYTES_MAX)
    except (OSError, ValueError) as error:
        return nothing_new(Path(path).stem, place, unreadable(path, error))
    document = _document_of(data)
    if document is None:
        return nothing_new(Path(path).stem, place, f"{path!r} is no whole session: it may just be written.")
    count, head = len(document.messages), _short(document.key)
    start = place.offset if place.head == head and place.offset <= count else 0
    pieces, skipped = _pieces_in(document, start)
    return SessionNews(
        turns_of(pieces, redact, wanted),
        Place(count, head),
        is_end=True,
        key=document.key,
        folder="" if start else _folder(path),
        skipped=skipped,
        is_anew=start == 0,
    )


class _Document(NamedTuple):
    key: str
    messages: list[msgspec.Raw]


def _document_of(data: bytes) -> _Document | None:
    fields = LineDecoder(dict[str, msgspec.Raw])(data) or {}
    key, is_subagent = text_in(fields, "sessionId"), text_in(fields, "kind") == "subagent"
    return _Document(key, [] if is_subagent else list_of(field_of(fields, "messages"))) if key else None


def _pieces_in(document: _Document, start: int = 0) -> tuple[list[Piece], int]:
    decoded = LineDecoder(_Message)
    pieces: list[Piece] = []
    for raw in document.messages[start:]:
        if message := decoded(bytes(raw)):
            pieces += _pieces_of(message)
            if files := _files_of(message):
                pieces.append(Piece("assistant", "", ms_of(message.timestamp), text_of(message.id), files))
    return pieces, decoded.skipped


def document_in(data: bytes) -> SliceContent | None:
    """Return *data*'s content if it is a session in one document."""
    document = _document_of(data) if b'"messages"' in data else None
    return SliceContent(*_pieces_in(document)[:1], document.key, "") if document else None


def pieces_before(path: str, place: Place | None, most: int) -> list[Piece]:
    """Return pieces before *place*, or the end: *most* bytes, or a whole document's."""
    if not path.endswith(".json"):
        return slices.pieces_before(path, place, most, found_in)
    try:
        document = _document_of(read_bounded(Path(path), DOCUMENT_BYTES_MAX))
    except (OSError, ValueError):
        return []
    return _pieces_in(document)[0] if document else []
