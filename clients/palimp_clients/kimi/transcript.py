"""Kimi Code's sessions: `~/.kimi-code/sessions/<folder>/<session>/agents/main/wire.jsonl`, run with 2.1.

Of a prompt's three lines `turn.prompt` counts, if its origin is the user or a slash command, or `turn.steer` of text
typed while the agent worked; `context.undo` takes requests back. `state.json` has the working folder; other agents are
subagents.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from palimp_clients.transcripts.calls import Calls, words_in_result
from palimp_clients.transcripts.folders import folder_of, session_files_in
from palimp_clients.transcripts.json_values import (
    Fields,
    LineDecoder,
    count_of,
    field_of,
    is_true,
    list_of,
    ms_of,
    object_of,
    text_in,
    text_of,
)
from palimp_clients.transcripts.session_places import FOLDERS_MAX, Sought
from palimp_clients.transcripts.slices import Slice, SliceContent
from palimp_clients.transcripts.turn import Piece, SessionFile
from palimp_clients.transcripts.user_text import said_behind, typed_by_person
from palimp_protocol.env.plain_files import read_bounded

CLIENT: Final = "kimi"

PLACE: Final = re.compile(r"/sessions/[^/]+/session_[^/]+/agents/main/wire\.jsonl$")

STATE_BYTES_MAX: Final = 1024 * 1024
"""Bytes of a session's `state.json`, which has some hundreds."""

_MAIN: Final = "agents/main/wire.jsonl"

_PROMPT: Final = "turn.prompt"

_SAID: Final = (
    *(b'"turn.prompt"', b'"turn.steer"', b'"context.undo"'),
    *(b'"content.part"', b'"tool.call"', b'"tool.result"'),
)

_COMMANDS: Final = {"skill_activation": ("skillName", "skillArgs"), "plugin_command": ("commandName", "commandArgs")}
"""Origins of a slash command's text, with the fields of what was typed."""


class _Record(msgspec.Struct):
    type: msgspec.Raw = msgspec.Raw(b"")
    time: msgspec.Raw = msgspec.Raw(b"")
    origin: msgspec.Raw = msgspec.Raw(b"")
    input: msgspec.Raw = msgspec.Raw(b"")
    event: msgspec.Raw = msgspec.Raw(b"")
    count: msgspec.Raw = msgspec.Raw(b"")


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
    known = _Reading(Calls(has_files=given.has_files))
    for line in given.before:
        known.read(line)
    reading = _Reading(known.calls, known)
    for line in given.lines:
        reading.read(line)
    path = Path(given.path)
    is_kept = PLACE.search(given.path) is not None
    key = path.parents[2].name if is_kept else path.stem
    folder = _folder(path.parents[2]) if is_kept else ""
    return SliceContent(reading.pieces, key, folder, reading.decoded.skipped, "", reading.taken_back)


def _sessions(home: Path, env: Mapping[str, str]) -> Path:
    return folder_of(home, env, "KIMI_CODE_HOME", ".kimi-code") / "sessions"


def _folder(session: Path) -> str:
    try:
        return text_in(object_of(msgspec.Raw(read_bounded(session / "state.json", STATE_BYTES_MAX))), "cwd")
    except (OSError, ValueError):
        return ""


class _Reading:
    def __init__(self, calls: Calls, known: "_Reading | None" = None) -> None:
        self.decoded = LineDecoder(_Record)
        self.calls = calls
        self.pieces: list[Piece] = []
        self.taken_back: list[Piece] = []
        self.requests: list[int] = []
        """Places of the pieces that begin a turn."""
        self._known = known

    def read(self, line: bytes) -> None:
        if not any(kind in line for kind in _SAID) or not (record := self.decoded(line)):
            return
        at_ms = ms_of(record.time)
        match text_of(record.type):
            case "turn.prompt" | "turn.steer" as kind if (typed := _typed_text(record)) is not None:
                if kind == _PROMPT:
                    self.requests.append(len(self.pieces))
                self.pieces.append(Piece("user", typed, at_ms))
            case "context.undo":
                for _ in range(min(count_of(record.count), len(self.requests) + self._known_requests())):
                    self._take_back()
            case _:
                self.pieces += _pieces_of_event(object_of(record.event), self.calls, at_ms)

    def _known_requests(self) -> int:
        return len(self._known.requests) if self._known else 0

    def _take_back(self) -> None:
        if self.requests:
            del self.pieces[self.requests.pop() :]
        elif self._known:
            place = self._known.requests.pop()
            self.pieces.clear()
            self.taken_back = [*self._known.pieces[place:], *self.taken_back]
            del self._known.pieces[place:]


def _typed_text(record: _Record) -> str | None:
    """Return a person's words in a prompt, perhaps none; None: it is not theirs."""
    origin = object_of(record.origin)
    kind = text_in(origin, "kind")
    if kind in _COMMANDS and text_in(origin, "trigger") == "user-slash":
        command, given = (text_in(origin, name) for name in _COMMANDS[kind])
        return typed_by_person(said_behind(command, given))
    texts = [text_in(object_of(part), "text") for part in list_of(record.input)]
    return typed_by_person("\n\n".join(filter(None, texts))) if kind == "user" else None


def _pieces_of_event(event: Fields, calls: Calls, at_ms: int) -> list[Piece]:
    match text_in(event, "type"):
        case "content.part" if text_in(event, "part", "type") == "text":
            return [Piece("assistant", text_in(event, "part", "text"), at_ms, text_in(event, "stepUuid"))]
        case "tool.call":
            calls.note(text_in(event, "toolCallId"), text_in(event, "name"), field_of(event, "args"))
        case "tool.result":
            call = calls.finish_call(text_in(event, "toolCallId"))
            if call and not is_true(field_of(event, "result", "isError")):
                said = words_in_result(call, field_of(event, "result", "output"))
                done = [Piece("assistant", "", at_ms, files=call.files)] if call.files else []
                return [Piece("user", said, at_ms)] if said else done
        case _:
            pass
    return []
