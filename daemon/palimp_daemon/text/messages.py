"""What was said in a session: the messages of a transcript, without what tools and clients put between.

A transcript of Claude Code is JSON Lines. Of its many kinds of lines two are messages, `user` and `assistant`. Left
out: what a subagent said, what the client wrote in the user's name (lines that are flagged, and `typed`), the results
of tools. What a person answered when asked whether a tool may run stands in such a result, and is a message.

A line may hold pictures and files of many megabytes. It is taken apart without being parsed: only its texts become
objects.

Secrets are redacted here, of whole messages: whoever cuts, quotes or passes on a part of one meets none of them.
"""

import re
from collections.abc import Iterable
from typing import Final, Literal, NamedTuple

import msgspec

from palimp_daemon.text.json_values import (
    Fields,
    LineDecoder,
    entries_of,
    field_of,
    is_text,
    is_true,
    list_of,
    object_of,
    text_in,
    text_of,
)
from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.user_text import typed_by_person

EDITING: Final = ("Edit", "MultiEdit", "Write", "NotebookEdit")

MESSAGE_CHARACTERS_MAX: Final = 64_000
"""Characters kept of one message, half of them from its beginning and half from its end: words stand around what is
pasted."""

CUT: Final = "\n\n…\n\n"
"""What stands where a message was cut."""

_FLAG: Final = re.compile(r"is[A-Z]\w*")
"""Keys that, when true, say that a line is of a side chain, a summary, or otherwise not what somebody said."""

_SYNTHETIC: Final = "<synthetic>"
"""The model of messages that the client makes up."""

_ANSWER: Final = re.compile(r"(?s)The user doesn't want to .*?the user said:\s*(.*?)(?:\n\nNote: .*)?")
"""What a tool that was not allowed to run is given: the person's own words, in the client's."""

_REJECTED: Final = "User rejected"


class Message(NamedTuple):
    """What the user or the agent said at once, without secrets."""

    role: Literal["user", "assistant"]
    text: str
    files: tuple[str, ...] = ()
    """The files that the agent edited with it."""


class Said(NamedTuple):
    """A message as it stands in a transcript: with secrets."""

    role: Literal["user", "assistant"]
    texts: list[str]
    """What was said; in the user's place, only what a person typed."""
    blocks: list[Fields]
    message_id: str
    """The model's, of which a client writes one line for each block; empty in a message of the user's."""


def messages_of(lines: Iterable[bytes], redact: Redactor) -> list[Message]:
    """Return the messages that *lines* hold; a line that is not understood holds none."""
    found: list[Message] = []
    for entry in entries_of(lines):
        message = message_of(entry, redact)
        if message and (message.text or message.files):
            found.append(message)
    return found


def entry_of(line: bytes) -> Fields | None:
    """Return a line as an object whose values are not parsed yet; None when it is none."""
    return LineDecoder(dict[str, msgspec.Raw])(line)


def message_of(entry: Fields, redact: Redactor) -> Message | None:
    """Return the message that an entry is; None when it is another thing."""
    said = said_of(entry)
    if said is None:
        return None
    text = redact("\n\n".join(text for text in said.texts if text.strip())).strip()
    return Message(said.role, bounded(text), _files_of(said.blocks))


def said_of(entry: Fields) -> Said | None:
    """Return what an entry says, before anything is redacted; None when it is no message."""
    role, message = text_in(entry, "type"), object_of(field_of(entry, "message"))
    if role not in ("user", "assistant") or not message or _is_flagged(entry):
        return None
    if text_in(message, "role") not in ("", role) or text_in(message, "model") == _SYNTHETIC:
        return None
    content = field_of(message, "content")
    blocks = [] if is_text(content) else [block for raw in list_of(content) if (block := object_of(raw))]
    texts = [text_of(content)] if is_text(content) else [text_in(block, "text") for block in _of_type(blocks, "text")]
    if role == "user":
        texts = [*map(typed_by_person, texts), *_answers(entry, blocks)]
    return Said(role, texts, blocks, text_in(message, "id"))


def plain_messages(text: str, redact: Redactor) -> list[Message]:
    """Return the messages of a text without a transcript's form.

    Lines that begin with `User:` or `Assistant:` begin a message. Without them all of it is the user's.
    """
    parts = re.split(r"(?mi)^(user|human|assistant|agent|ai)\s*:\s*", redact(text))
    found = [Message("user", typed_by_person(parts[0]).strip())]
    for name, said in zip(parts[1::2], parts[2::2], strict=True):
        is_user = name.lower() in ("user", "human")
        found.append(Message("user", typed_by_person(said).strip()) if is_user else Message("assistant", said.strip()))
    return [Message(message.role, bounded(message.text)) for message in found if message.text]


def bounded(text: str, characters: int = MESSAGE_CHARACTERS_MAX) -> str:
    """Return *text*, or its beginning, CUT and its end if it is longer than *characters*."""
    if len(text) <= characters:
        return text
    half = (characters - len(CUT)) // 2
    return f"{text[:half]}{CUT}{text[-half:]}"


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
    files: list[str] = []
    for call in _of_type(blocks, "tool_use"):
        given = object_of(field_of(call, "input"))
        path = text_in(given, "file_path") or text_in(given, "notebook_path")
        if path and text_in(call, "name") in EDITING:
            files.append(path)
    return tuple(files)
