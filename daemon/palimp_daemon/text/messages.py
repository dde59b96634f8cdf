"""What was said in a session: the messages of a transcript, without what tools and clients put between.

A transcript of Claude Code is JSON Lines. Of its many kinds of lines two are messages, `user` and `assistant`. Left
out: what a subagent said, what the client wrote in the user's name (lines that are flagged, and `typed`), the results
of tools. What a person answered when asked whether a tool may run stands in such a result, and is a message.

A line may hold pictures and files of many megabytes. It is taken apart without being parsed: only its texts become
objects.

Secrets are redacted here, of whole messages: whoever cuts, quotes or passes on a part of one meets none of them.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, NamedTuple

import msgspec

from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.user_text import typed_by_person
from palimp_protocol.surrogates import mended_json

EDITING: Final = ("Edit", "MultiEdit", "Write", "NotebookEdit")

MESSAGE_CHARACTERS_MAX: Final = 64_000
"""Characters kept of one message, half of them from its beginning and half from its end: words stand around what is
pasted."""

_FLAG: Final = re.compile(r"is[A-Z]\w*")
"""Keys that, when true, say that a line is of a side chain, a summary, or otherwise not what somebody said."""

_SYNTHETIC: Final = "<synthetic>"
"""The model of messages that the client makes up."""

_ANSWER: Final = re.compile(r"(?s)The user doesn't want to .*?the user said:\s*(.*?)(?:\n\nNote: .*)?")
"""What a tool that was not allowed to run is given: the person's own words, in the client's."""

_REJECTED: Final = "User rejected"

_Fields = Mapping[str, msgspec.Raw]

_OBJECT: Final = msgspec.json.Decoder(dict[str, msgspec.Raw])
_LIST: Final = msgspec.json.Decoder(list[msgspec.Raw])
_TEXT: Final = msgspec.json.Decoder(str)


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
    blocks: list[_Fields]
    message_id: str
    """The model's, of which a client writes one line for each block; empty in a message of the user's."""


def messages_of(lines: Iterable[bytes], redact: Redactor) -> list[Message]:
    """Return the messages that *lines* hold; a line that is not understood holds none."""
    found: list[Message] = []
    for line in lines:
        entry = entry_of(line)
        message = message_of(entry, redact) if entry else None
        if message and (message.text or message.files):
            found.append(message)
    return found


def entry_of(line: bytes) -> _Fields | None:
    """Return a line as an object whose values are not parsed yet; None when it is none."""
    try:
        return _OBJECT.decode(mended_json(utf_8(line)))
    except (msgspec.DecodeError, RecursionError):
        return None


def message_of(entry: _Fields, redact: Redactor) -> Message | None:
    """Return the message that an entry is; None when it is another thing."""
    said = said_of(entry)
    if said is None:
        return None
    text = redact("\n\n".join(text for text in said.texts if text.strip())).strip()
    return Message(said.role, bounded(text), _files_of(said.blocks))


def said_of(entry: _Fields) -> Said | None:
    """Return what an entry says, before anything is redacted; None when it is no message."""
    role, message = _text(entry.get("type")), _object(entry.get("message"))
    if role not in ("user", "assistant") or not message or _is_flagged(entry):
        return None
    if _text(message.get("role")) not in ("", role) or _text(message.get("model")) == _SYNTHETIC:
        return None
    content = message.get("content")
    blocks = [] if _is_text(content) else [block for raw in _list(content) if (block := _object(raw))]
    texts = [_text(content)] if _is_text(content) else [_text(block.get("text")) for block in _of_type(blocks, "text")]
    if role == "user":
        texts = [*map(typed_by_person, texts), *_answers(entry, blocks)]
    return Said(role, texts, blocks, _text(message.get("id")))


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


def bounded(text: str) -> str:
    """Return *text*, or its beginning and its end if it is longer than MESSAGE_CHARACTERS_MAX."""
    if len(text) <= MESSAGE_CHARACTERS_MAX:
        return text
    half = MESSAGE_CHARACTERS_MAX // 2 - 4
    return f"{text[:half]}\n\n…\n\n{text[-half:]}"


def _is_flagged(entry: _Fields) -> bool:
    """Tell whether the client says that nobody said this here."""
    if any(bytes(value) == b"true" and _FLAG.fullmatch(key) for key, value in entry.items()):
        return True
    origin = _object(entry.get("origin"))
    return _text(entry.get("type")) == "user" and _text(origin.get("kind")) not in ("", "human", "user")


def _answers(entry: _Fields, blocks: Iterable[_Fields]) -> list[str]:
    """Return what the user said in the place of letting a tool run.

    A tool could write the same. But then the client notes that the tool failed, not that the user rejected it.
    """
    if "toolUseResult" in entry and not _text(entry["toolUseResult"]).startswith(_REJECTED):
        return []
    found: list[str] = []
    for block in _of_type(blocks, "tool_result"):
        content = block.get("content")
        parts = [content] if _is_text(content) else [_object(each).get("text") for each in _list(content)]
        answer = _ANSWER.fullmatch("\n".join(map(_text, parts))) if _is_true(block.get("is_error")) else None
        found += [answer[1]] if answer else []
    return found


def _of_type(blocks: Iterable[_Fields], kind: str) -> list[_Fields]:
    return [block for block in blocks if _text(block.get("type")) == kind]


def _files_of(blocks: Iterable[_Fields]) -> tuple[str, ...]:
    files: list[str] = []
    for call in _of_type(blocks, "tool_use"):
        given = _object(call.get("input"))
        path = _text(given.get("file_path")) or _text(given.get("notebook_path"))
        if path and _text(call.get("name")) in EDITING:
            files.append(path)
    return tuple(files)


# --- values that are not parsed yet ---------------------------------------------------------------


def utf_8(data: bytes) -> bytes:
    """Return *data*, with U+FFFD for what is no UTF-8 but for surrogates, which `mended_json` knows."""
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return data.decode("utf-8", "replace").encode()
    return data


def _is_text(raw: msgspec.Raw | None) -> bool:
    return raw is not None and bytes(raw)[:1] == b'"'


def _is_true(raw: msgspec.Raw | None) -> bool:
    return raw is not None and bytes(raw) == b"true"


def _text(raw: msgspec.Raw | None) -> str:
    """Return a text; nothing when it is another thing."""
    return _decoded(_TEXT, raw) or ""


def _object(raw: msgspec.Raw | None) -> _Fields:
    return _decoded(_OBJECT, raw) or {}


def _list(raw: msgspec.Raw | None) -> list[msgspec.Raw]:
    return _decoded(_LIST, raw) or []


def _decoded(decoder: msgspec.json.Decoder[Any], raw: msgspec.Raw | None) -> Any:
    try:
        return None if raw is None else decoder.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return None
