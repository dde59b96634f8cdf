"""Claude Code's sessions: `<config>/projects/<folder>/<session>.jsonl`, run with 2.1.

A known `uuid` replaces a line. Left out are subagents, flagged lines, approved plans, and tools' results except a
person's answers and feedback. Text typed while the agent worked is an attachment, `queued_command`. A fork's copies are
`forkedFrom`, or name another session.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from palimp_clients.transcripts.calls import Calls, answer_in, exchanges_text, pairs_in
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
    text_in,
    text_of,
)
from palimp_clients.transcripts.session_places import Sought, in_projects
from palimp_clients.transcripts.slices import Slice, SliceContent, first_texts_of
from palimp_clients.transcripts.turn import Piece, SessionFile
from palimp_clients.transcripts.user_text import typed_by_person

CLIENT: Final = "claude-code"

PLACE: Final = re.compile(r"/projects/[^/]+/[^/]+\.jsonl$")

_NEAR_BYTES: Final = 4096
"""Bytes of a line that hold the start of its first block."""

_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

_FLAG: Final = re.compile(r"is[A-Z]\w*")
"""Keys that, when true, mark side chains, summaries and other lines that nobody said."""

_SYNTHETIC: Final = "<synthetic>"
"""Model of the client's own messages."""

_ANSWER: Final = re.compile(r"(?s)The user doesn't want to .*?the user said:\s*(.*?)(?:\n\nNote: .*)?")
"""Result of a tool that was not allowed: the person's words, within the client's."""

_REJECTED: Final = "User rejected"

_RESULT_OF_QUESTIONS: Final = re.compile(r"(?:Your questions have been|User has|The user) answered\b")

_CLARIFIES: Final = "The user wants to clarify these questions."
"""Beginning of the result when a person answered otherwise than asked."""

_CLARIFIED: Final = re.compile(r'(?m)^- "(.+)"\n  Answer: (.+)((?:\n  User notes: .+)?)$')

_PLAN: Final = "Implement the following plan:"
_PLAN_ENDS: Final = "If you need specific details from before exiting plan mode"
"""Text between a plan and the feedback."""

_FEEDBACK: Final = "User feedback on this plan: "


def session_files(home: Path, env: Mapping[str, str]) -> Iterator[SessionFile]:
    """Yield the sessions in Claude Code's folders."""
    for folder in config_folders(home, env):
        for found in session_files_in(CLIENT, folder / "projects", 1, (".jsonl",)):
            if not Path(found.path).name.startswith("agent-"):
                yield found


def config_folders(home: Path, env: Mapping[str, str]) -> list[Path]:
    """Return CLAUDE_CONFIG_DIR, else `~/.claude` and, of some versions, `~/.config/claude`."""
    folders = [folder_of(home, env, "CLAUDE_CONFIG_DIR", ".claude")]
    if env.get("CLAUDE_CONFIG_DIR", "").strip():
        return folders
    return [*folders, folder_of(home, env, "XDG_CONFIG_HOME", ".config") / "claude"]


def places(sought: Sought) -> Iterator[str]:
    """Yield a session's places, likeliest first."""
    for config in config_folders(sought.home, sought.env):
        yield from in_projects(config / "projects", sought.folder, f"{sought.session}.jsonl")


def working_folder_of(path: str) -> str:
    """Return the session's first working folder, or empty."""
    try:
        return first_texts_of(path, "cwd")[0]
    except (OSError, ValueError):
        return ""


def is_line(entry: Fields) -> bool:
    """Tell whether *entry* is this client's alone."""
    return text_in(entry, "type") in ("user", "assistant") and "content" in object_of(field_of(entry, "message"))


def found_in(given: Slice) -> SliceContent:
    """Return a slice's content."""
    known = _Reading(has_files=given.has_files)
    for line in given.before:
        known.read(line)
    reading = _Reading(has_files=given.has_files, calls=known.calls, known=known.places.keys())
    for line in given.lines:
        reading.read(line)
    return SliceContent(reading.pieces(), *_key_and_folder(given, reading), reading.decoded.skipped)


class _Reading:
    def __init__(self, *, has_files: bool, calls: Calls | None = None, known: Collection[str] = ()) -> None:
        self.decoded = LineDecoder(dict[str, msgspec.Raw])
        self.calls = calls or Calls(has_files=has_files)
        self.places: dict[str, int] = {}
        """Indexes of pieces, by their lines' ids."""
        self.key = self.folder = ""
        self._has_files = has_files
        self._known = frozenset(known)
        self._pieces: list[Piece] = []
        self._copied = 0
        """Leading pieces that are copies from another session."""

    def read(self, line: bytes) -> None:
        is_wanted = _may_say_something(line) or (self._has_files and self._may_be_of_call(line))
        if not is_wanted or not (entry := self.decoded(line)):
            return
        self.key = self.key or text_in(entry, "sessionId")
        folder = text_in(entry, "cwd")
        self.folder = self.folder or folder
        piece = _piece_of(entry, self.calls)
        if piece and (piece.text.strip() or piece.files):
            self._take(piece._replace(folder=folder), text_in(entry, "uuid"))
        if _is_copied(entry):
            self._copied = len(self._pieces)

    def _may_be_of_call(self, line: bytes) -> bool:
        return b'_path"' in line or self.calls.are_named_in(line)

    def _take(self, piece: Piece, uuid: str) -> None:
        place = self.places.get(uuid)
        if place is not None:
            self._pieces[place] = piece
        elif uuid not in self._known:
            if uuid:
                self.places[uuid] = len(self._pieces)
            self._pieces.append(piece)

    def pieces(self) -> list[Piece]:
        copies = [piece._replace(is_copy=True) for piece in self._pieces[: self._copied]]
        return copies + self._pieces[self._copied :]


def _is_copied(entry: Fields) -> bool:
    by = text_in(entry, "requestSessionId")
    return bool(object_of(field_of(entry, "forkedFrom"))) or by not in ("", text_in(entry, "sessionId"))


def _may_say_something(line: bytes) -> bool:
    """Quotes within texts are escaped, so these keys are unique."""
    near = line[:_NEAR_BYTES]
    if b'"type":"tool_' in near or b'"type":"thinking"' in near:
        return b'"type":"text"' in line or b"user said:" in line or _is_of_question(line, near)
    return b'"user"' in near or b'"assistant"' in line or b'"user"' in line or b'"queued_command"' in line


def _is_of_question(line: bytes, near: bytes) -> bool:
    return b'"AskUserQuestion"' in near or (b"answer" in line and (b"answered: " in line or b'"answers"' in line))


def _piece_of(entry: Fields, calls: Calls) -> Piece | None:
    at_ms = ms_of(field_of(entry, "timestamp"))
    if text_in(entry, "type") == "attachment":
        return Piece("user", _queued_prompt(entry), at_ms)
    role, message = text_in(entry, "type"), object_of(field_of(entry, "message"))
    if role not in ("user", "assistant") or not message or text_in(message, "role") not in ("", role):
        return None
    if "planContent" in entry:
        return Piece("user", _plan_feedback(entry, message), at_ms)
    if _is_flagged(entry) or text_in(message, "model") == _SYNTHETIC:
        return None
    content = field_of(message, "content")
    blocks = [] if is_text(content) else [block for raw in list_of(content) if (block := object_of(raw))]
    texts = [text_of(content)] if is_text(content) else [text_in(block, "text") for block in _of_type(blocks, "text")]
    if role == "assistant":
        for call in _of_type(blocks, "tool_use"):
            calls.note(text_in(call, "id"), text_in(call, "name"), field_of(call, "input"))
        return Piece("assistant", _join_texts(texts), at_ms, text_in(message, "id"))
    files, answers = _finish_calls(entry, blocks, calls)
    text = _join_texts([*map(_without_plan, texts), *answers])
    return Piece("user", text, at_ms) if text or not files else Piece("assistant", "", at_ms, files=files)


def _join_texts(texts: Iterable[str]) -> str:
    return "\n\n".join(text for text in texts if text.strip())


def _finish_calls(entry: Fields, blocks: Iterable[Fields], calls: Calls) -> tuple[tuple[str, ...], list[str]]:
    files: list[str] = []
    answers: list[str] = []
    for block in _of_type(blocks, "tool_result"):
        call = calls.finish_call(text_in(block, "tool_use_id"))
        if is_true(field_of(block, "is_error")):
            answers += _said_instead(entry, block)
        elif call:
            files += call.files
            answers += _answers(entry, block) if call.questions else []
        else:
            answers += _answers(entry, block)
    return tuple(files), answers


def _answers(entry: Fields, block: Fields) -> list[str]:
    """A tool's own print has no such object beside its result."""
    result = object_of(field_of(entry, "toolUseResult"))
    answers = object_of(field_of(result, "answers"))
    if "questions" not in result or not answers:
        is_known = "toolUseResult" not in entry and _RESULT_OF_QUESTIONS.match(_result_text(block))
        return [exchanges_text(pairs_in(_result_text(block)))] if is_known else []
    notes = object_of(field_of(result, "annotations"))
    parts = {question: (answer_in(raw), text_in(notes, question, "notes")) for question, raw in answers.items()}
    return [exchanges_text((question, "\n".join(filter(None, said))) for question, said in parts.items())]


def _is_flagged(entry: Fields) -> bool:
    if any(is_true(value) and _FLAG.fullmatch(key) for key, value in entry.items()):
        return True
    origin = object_of(field_of(entry, "origin"))
    return text_in(entry, "type") == "user" and text_in(origin, "kind") not in ("", "human", "user")


def _said_instead(entry: Fields, block: Fields) -> list[str]:
    """For the same text from a tool, the client notes a failure, not a rejection."""
    if "toolUseResult" in entry and not text_in(entry, "toolUseResult").startswith(_REJECTED):
        return []
    found = _ANSWER.fullmatch(_result_text(block))
    if found is None:
        return []
    if not found[1].startswith(_CLARIFIES):
        return [found[1]]
    answered = _CLARIFIED.finditer(found[1])
    return [exchanges_text((each[1], each[2] + each[3].replace("  User notes: ", "")) for each in answered)]


def _result_text(block: Fields) -> str:
    content = field_of(block, "content")
    parts = [content] if is_text(content) else [field_of(object_of(each), "text") for each in list_of(content)]
    return "\n".join(map(text_of, parts))


def _plan_feedback(entry: Fields, message: Fields) -> str:
    content = field_of(message, "content")
    text = text_of(content) or _join_texts(text_in(object_of(each), "text") for each in list_of(content))
    plan = text_in(entry, "planContent")
    behind = text.partition(plan)[2] if plan else ""
    return behind.rpartition(_FEEDBACK)[2] if _FEEDBACK in behind else ""


def _without_plan(text: str) -> str:
    """Some versions do not mark a plan."""
    if text.startswith(_PLAN) and _PLAN_ENDS in text:
        behind = text.rpartition(_PLAN_ENDS)[2]
        return behind.rpartition(_FEEDBACK)[2] if _FEEDBACK in behind else ""
    return typed_by_person(text)


def _of_type(blocks: Iterable[Fields], kind: str) -> list[Fields]:
    return [block for block in blocks if text_in(block, "type") == kind]


def _queued_prompt(entry: Fields) -> str:
    attachment = object_of(field_of(entry, "attachment"))
    is_typed = (
        text_in(attachment, "type") == "queued_command"
        and text_in(attachment, "commandMode") in ("", "prompt")
        and text_in(attachment, "origin", "kind") in ("", "human", "user")
        and not any(
            is_true(field_of(fields, name)) for fields in (entry, attachment) for name in ("isMeta", "isSidechain")
        )
    )
    prompt = field_of(attachment, "prompt")
    texts = [text_of(prompt)] if is_text(prompt) else [text_in(object_of(block), "text") for block in list_of(prompt)]
    return "\n\n".join(map(typed_by_person, texts)) if is_typed else ""


def _key_and_folder(given: Slice, reading: _Reading) -> tuple[str, str]:
    stem = Path(given.path).stem
    key, folder = reading.key, reading.folder
    if not (key and folder):
        key, folder = first_texts(given.opening, "sessionId", "cwd")
    return stem if _UUID.fullmatch(stem) else key or stem, folder
