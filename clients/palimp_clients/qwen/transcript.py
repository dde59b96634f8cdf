"""Qwen Code's sessions: `~/.qwen/projects/<folder>/chats/<session>.jsonl`, run with 0.24.

Claude Code's records with Gemini's message. A user's `subtype` means not typed, except `mid_turn_user_message`; the
typed text is `displayText`, or a `slash_command`'s. Old versions' sessions, like Gemini CLI's, are not read.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from palimp_clients.transcripts.calls import Calls, answered_text
from palimp_clients.transcripts.folders import folder_of, session_files_in
from palimp_clients.transcripts.json_values import (
    Fields,
    LineDecoder,
    field_of,
    first_texts,
    is_text,
    is_true,
    list_of,
    ms_of,
    object_of,
    text_as_raw,
    text_in,
    text_of,
)
from palimp_clients.transcripts.session_places import Sought, files_ending, in_projects
from palimp_clients.transcripts.slices import Slice, SliceContent, first_texts_of
from palimp_clients.transcripts.turn import Piece, SessionFile
from palimp_clients.transcripts.user_text import said_behind, typed_by_person
from palimp_protocol.env.project_slugs import slugs_of

CLIENT: Final = "qwen"

OWNERS_MAX: Final = 64
"""Transcripts read to find a folder's project."""

PLACE: Final = re.compile(r"/projects/[^/]+/chats/[^/]+\.jsonl$")

TYPED: Final = ("", "mid_turn_user_message")

BY_PERSON: Final = ("", "real_user")
"""Origins of typed messages; empty: not told."""

_FILES: Final = ("--- Content from referenced files ---", "--- End of content ---")
"""Parts around the contents of files that a request names."""

_HOOKS: Final = "<qwen:"
"""Prefix of a part with hooks' output."""

_ANSWERED: Final = "User has provided the following answers:"

_MID_TURN: Final = "[User message received during tool execution]:"

_SAID: Final = (
    *(b'"type":"user"', b'"type":"assistant"', b'"type": "user"', b'"type": "assistant"'),
    *(b'"slash_command"', b'"ask_user_question"'),
)

_COMMAND: Final = re.compile(r"(?s)/(\S+)\s+(.*)")


class _Record(msgspec.Struct):
    type: msgspec.Raw = msgspec.Raw(b"")
    uuid: msgspec.Raw = msgspec.Raw(b"")
    cwd: msgspec.Raw = msgspec.Raw(b"")
    subtype: msgspec.Raw = msgspec.Raw(b"")
    provenance: msgspec.Raw = msgspec.Raw(b"")
    timestamp: msgspec.Raw = msgspec.Raw(b"")
    message: msgspec.Raw = msgspec.Raw(b"")
    toolCallResult: msgspec.Raw = msgspec.Raw(b"")  # noqa: N815  the client's name
    systemPayload: msgspec.Raw = msgspec.Raw(b"")  # noqa: N815  the same
    isSidechain: msgspec.Raw = msgspec.Raw(b"")  # noqa: N815  the same
    agentId: msgspec.Raw = msgspec.Raw(b"")  # noqa: N815  the same


def session_files(home: Path, env: Mapping[str, str]) -> Iterator[SessionFile]:
    """Yield the sessions in Qwen Code's folder."""
    for found in session_files_in(CLIENT, folder(home, env) / "projects", 2, (".jsonl",)):
        if Path(found.path).parent.name == "chats":
            yield found


def folder(home: Path, env: Mapping[str, str]) -> Path:
    """Return QWEN_RUNTIME_DIR or QWEN_HOME, else `~/.qwen`."""
    variable = "QWEN_RUNTIME_DIR" if env.get("QWEN_RUNTIME_DIR", "").strip() else "QWEN_HOME"
    return folder_of(home, env, variable, ".qwen")


def user_memory(home: Path, env: Mapping[str, str]) -> Path:
    """Return the folder of Qwen Code's memory of its user."""
    return folder(home, env) / "memories"


def project_memories(home: Path, env: Mapping[str, str], project: str) -> list[tuple[Path, list[str]]]:
    """Return Qwen Code's memory folders, perhaps *project*'s, with working folders of OWNERS_MAX sessions."""
    found: list[tuple[Path, list[str]]] = []
    for slug in slugs_of(project):
        kept = folder(home, env) / "projects" / slug
        if (kept / "memory").is_dir():
            transcripts = islice(files_ending(kept / "chats", ".jsonl"), OWNERS_MAX)
            seen = {text for path in transcripts for text in first_texts_of(path, "cwd")}
            found.append((kept / "memory", sorted(seen)))
    return found


def places(sought: Sought) -> Iterator[str]:
    """Yield a session's places, likeliest first."""
    return in_projects(folder(sought.home, sought.env) / "projects", sought.folder, f"chats/{sought.session}.jsonl")


def is_line(entry: Fields) -> bool:
    """Tell whether *entry* is this client's alone."""
    return "sessionId" in entry and "uuid" in entry and "parts" in object_of(field_of(entry, "message"))


def found_in(given: Slice) -> SliceContent:
    """Return a slice's content."""
    known = _Reading(has_files=given.has_files)
    for line in given.before:
        known.read(line)
    reading = _Reading(has_files=given.has_files, calls=known.calls, known=known.places.keys())
    for line in given.lines:
        reading.read(line)
    key, folder = first_texts(given.opening, "sessionId", "cwd")
    return SliceContent(reading.pieces, key or Path(given.path).stem, folder, reading.decoded.skipped)


class _Reading:
    def __init__(self, *, has_files: bool, calls: Calls | None = None, known: Collection[str] = ()) -> None:
        self.decoded = LineDecoder(_Record)
        self.calls = calls or Calls(has_files=has_files)
        self.places: dict[str, int] = {}
        """Indexes of pieces, by their records' ids."""
        self.pieces: list[Piece] = []
        self._known = frozenset(known)

    def read(self, line: bytes) -> None:
        is_wanted = any(kind in line for kind in _SAID) or self.calls.are_named_in(line)
        if not is_wanted or not (record := self.decoded(line)):
            return
        piece = _piece_of(record, self.calls)
        uuid = text_of(record.uuid)
        if piece is None or uuid in self._known:
            return
        piece = piece._replace(folder=text_of(record.cwd))
        if uuid in self.places:
            if piece.text or piece.files:  # one that is cut short takes nothing away
                self.pieces[self.places[uuid]] = piece
            return
        if uuid:
            self.places[uuid] = len(self.pieces)
        self.pieces.append(piece)


def _piece_of(record: _Record, calls: Calls) -> Piece | None:
    if is_true(record.isSidechain) or text_of(record.agentId):
        return None
    kind, given, at_ms = text_of(record.type), _parts(record.message), ms_of(record.timestamp)
    if kind == "system":
        return _piece_of_command(record, at_ms)
    if kind == "tool_result":
        return _piece_of_result(record, given, at_ms, calls)
    parts = _texts(given)
    if kind == "assistant":
        for call in (object_of(field_of(part, "functionCall")) for part in given):
            calls.note(text_in(call, "id"), text_in(call, "name"), field_of(call, "args"))
        return Piece("assistant", "\n\n".join(parts), at_ms)
    if kind != "user" or text_of(record.subtype) not in TYPED or text_of(record.provenance) not in BY_PERSON:
        return None
    shown = text_in(object_of(record.systemPayload), "displayText")
    text = shown or "\n\n".join(_prompt_texts(parts)).removeprefix(_MID_TURN)
    return Piece("user", typed_by_person(text), at_ms)


def _piece_of_command(record: _Record, at_ms: int) -> Piece | None:
    payload = object_of(record.systemPayload)
    is_typed = text_of(record.subtype) == "slash_command" and text_in(payload, "phase") == "invocation"
    command = _COMMAND.match(text_in(payload, "rawCommand")) if is_typed else None
    return Piece("user", typed_by_person(said_behind(command[1], command[2])), at_ms) if command else None


def _piece_of_result(record: _Record, parts: Iterable[Fields], at_ms: int, calls: Calls) -> Piece | None:
    files: list[str] = []
    answers: list[str] = []
    has_failed = text_in(object_of(record.toolCallResult), "status") in ("error", "cancelled")
    for response in (object_of(field_of(part, "functionResponse")) for part in parts):
        call = calls.finish_call(text_in(response, "id"))
        output = field_of(response, "response", "output")
        if call is None or has_failed or not is_text(output):
            continue
        files += call.files
        said = text_of(output)
        if call.questions and said.startswith(_ANSWERED):
            answers.append(answered_text(call.questions, text_as_raw(said.removeprefix(_ANSWERED).strip())))
    if answers:
        return Piece("user", "\n\n".join(answers), at_ms)
    return Piece("assistant", "", at_ms, files=tuple(files)) if files else None


def _prompt_texts(parts: list[str]) -> list[str]:
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


def _texts(parts: Iterable[Fields]) -> list[str]:
    return [
        text for part in parts if not is_true(field_of(part, "thought")) and (text := text_in(part, "text").strip())
    ]
