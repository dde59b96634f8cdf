"""Claude Code's sessions: `<config>/projects/<folder>/<session>.jsonl`, run with 2.1.

Of the many kinds of lines two are messages, `user` and `assistant`. Left out: what a subagent said, what the client
wrote in the user's name (lines that are flagged, and `typed_by_person`), the results of tools. What a person answered
when asked whether a tool may run stands in such a result, and was said. What a person typed while the agent was at work
is no line of the user's but an attachment, a `queued_command`.

Nine of ten bytes are in lines that hold nothing but a call of a tool or its result: they are told by a search and not
taken apart, unless the files that were edited are wanted. A line may hold pictures and files of many megabytes: only
its texts become objects.

Subagents write files of their own, deeper or named `agent-…`, and flag their lines: neither is read.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import msgspec

from palimp_daemon.text.json_values import (
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
from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.transcript import Place
from palimp_daemon.text.transcripts.edited_files import files_of_call
from palimp_daemon.text.transcripts.folders import folder_of, session_files_in
from palimp_daemon.text.transcripts.slices import Lines, Slice, SliceContent, news_from_lines, opening_of
from palimp_daemon.text.transcripts.turn import SAID, Piece, SessionFile, SessionNews, Wanted
from palimp_daemon.text.user_text import typed_by_person

CLIENT: Final = "claude-code"

_NEAR_BYTES: Final = 4096
"""Bytes of a line in which its first block begins."""

_UUID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")

_FLAG: Final = re.compile(r"is[A-Z]\w*")
"""Keys that, when true, say that a line is of a side chain, a summary, or otherwise not what somebody said."""

_SYNTHETIC: Final = "<synthetic>"
"""The model of messages that the client makes up."""

_ANSWER: Final = re.compile(r"(?s)The user doesn't want to .*?the user said:\s*(.*?)(?:\n\nNote: .*)?")
"""What a tool that was not allowed to run is given: the person's own words, in the client's."""

_REJECTED: Final = "User rejected"


def session_files(home: Path, env: Mapping[str, str]) -> Iterator[SessionFile]:
    """Yield the sessions in the folders of Claude Code."""
    for folder in config_folders(home, env):
        for found in session_files_in(CLIENT, folder / "projects", 1, (".jsonl",)):
            if not Path(found.path).name.startswith("agent-"):
                yield found


def config_folders(home: Path, env: Mapping[str, str]) -> list[Path]:
    """Return CLAUDE_CONFIG_DIR, or else `~/.claude` and `~/.config/claude`, of some versions."""
    folders = [folder_of(home, env, "CLAUDE_CONFIG_DIR", ".claude")]
    if env.get("CLAUDE_CONFIG_DIR", "").strip():
        return folders
    return [*folders, folder_of(home, env, "XDG_CONFIG_HOME", ".config") / "claude"]


def working_folder_of(path: str) -> str:
    """Return the folder that the session with the transcript at *path* began in; empty where it does not say."""
    try:
        return first_texts(opening_of(path), "cwd")[0]
    except (OSError, ValueError):
        return ""


def news_of(path: str, place: Place, redact: Redactor, wanted: Wanted = SAID) -> SessionNews:
    """Return what the transcript at *path* says since *place*, as far as it is *wanted*."""
    return news_from_lines(path, place, redact, Lines(found_in, is_line), wanted)


def is_line(entry: Fields) -> bool:
    """Tell whether *entry* is a line of this client's, as no other writes them."""
    return text_in(entry, "type") in ("user", "assistant") and "content" in object_of(field_of(entry, "message"))


def found_in(given: Slice) -> SliceContent:
    """Return what a slice of a session's lines says."""
    decoded = LineDecoder(dict[str, msgspec.Raw])
    pieces: list[Piece] = []
    for line in given.lines:
        is_wanted = _may_say_something(line) or (given.has_files and b'_path"' in line)
        if is_wanted and (entry := decoded(line)):
            pieces += _pieces_of(entry)
    return SliceContent(pieces, *_key_and_folder(given), decoded.skipped)


def _may_say_something(line: bytes) -> bool:
    """Tell whether *line* may hold a turn. A quote within a text is escaped: these keys are found nowhere else.

    A line that begins with a call of a tool, its result or a thought says something only if there is a text, too, or
    the answer of a person who was asked whether a tool may run.
    """
    near = line[:_NEAR_BYTES]
    if b'"type":"tool_' in near or b'"type":"thinking"' in near:
        return b'"type":"text"' in line or b"user said:" in line
    return b'"user"' in near or b'"assistant"' in line or b'"user"' in line or b'"queued_command"' in line


def _pieces_of(entry: Fields) -> list[Piece]:
    at_ms = ms_of(field_of(entry, "timestamp"))
    if text_in(entry, "type") == "attachment":
        return [Piece("user", _queued(entry), at_ms)]
    role, message = text_in(entry, "type"), object_of(field_of(entry, "message"))
    if role not in ("user", "assistant") or not message or _is_flagged(entry):
        return []
    if text_in(message, "role") not in ("", role) or text_in(message, "model") == _SYNTHETIC:
        return []
    content = field_of(message, "content")
    blocks = [] if is_text(content) else [block for raw in list_of(content) if (block := object_of(raw))]
    texts = [text_of(content)] if is_text(content) else [text_in(block, "text") for block in _of_type(blocks, "text")]
    if role == "user":
        texts = [*map(typed_by_person, texts), *_answers(entry, blocks)]
    text = "\n\n".join(text for text in texts if text.strip())
    return [Piece(role, text, at_ms, text_in(message, "id"), _files_of(blocks))]


def _is_flagged(entry: Fields) -> bool:
    """Tell whether the client says that nobody said this here."""
    if any(is_true(value) and _FLAG.fullmatch(key) for key, value in entry.items()):
        return True
    origin = object_of(field_of(entry, "origin"))
    return text_in(entry, "type") == "user" and text_in(origin, "kind") not in ("", "human", "user")


def _answers(entry: Fields, blocks: Iterable[Fields]) -> list[str]:
    """Return what the user said in the place of letting a tool run.

    A tool could write the same. But then the client notes that the tool failed, not that the user rejected it.
    """
    if "toolUseResult" in entry and not text_in(entry, "toolUseResult").startswith(_REJECTED):
        return []
    found: list[str] = []
    for block in _of_type(blocks, "tool_result"):
        content = field_of(block, "content")
        parts = [content] if is_text(content) else [field_of(object_of(each), "text") for each in list_of(content)]
        answer = _ANSWER.fullmatch("\n".join(map(text_of, parts))) if is_true(field_of(block, "is_error")) else None
        found += [answer[1]] if answer else []
    return found


def _of_type(blocks: Iterable[Fields], kind: str) -> list[Fields]:
    return [block for block in blocks if text_in(block, "type") == kind]


def _files_of(blocks: Iterable[Fields]) -> tuple[str, ...]:
    calls = _of_type(blocks, "tool_use")
    return tuple(file for call in calls for file in files_of_call(text_in(call, "name"), field_of(call, "input")))


def _queued(entry: Fields) -> str:
    """Return what a person typed while the agent was at work; empty when the attachment is another thing."""
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


def _key_and_folder(given: Slice) -> tuple[str, str]:
    """Return the id of a session, and the folder it began in."""
    stem = Path(given.path).stem
    key, folder = first_texts(given.opening, "sessionId", "cwd")
    return stem if _UUID.fullmatch(stem) else key or stem, folder
