"""What was said in a session: the messages of a transcript, without what tools and clients put between.

A transcript of Claude Code is JSON Lines. Of its many kinds of lines two are messages, `user` and `assistant`. Left
out: what a subagent said (`isSidechain`), what the client wrote in the user's name (`isMeta`, commands, reminders,
the summary of a compaction), the results of tools.

Secrets are taken out here, of whole messages: whoever cuts, quotes or passes on a part of one meets none of them.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, Literal, NamedTuple, cast

from palimp_daemon.capture.redact import redacted

EDITING: Final = ("Edit", "MultiEdit", "Write", "NotebookEdit")

_BY_CLIENT: Final = (
    "<command-",
    "<local-command",
    "<system-reminder",
    "<user-prompt-submit-hook",
    "<bash-",
    "[Request interrupted",
    "Caveat: The messages below were generated",
    "This session is being continued from a previous",
)
"""How texts begin that stand in the user's place and are not the user's."""

_REMINDER: Final = re.compile(r"<system-reminder>.*?(?:</system-reminder>|\Z)", re.DOTALL)


class Message(NamedTuple):
    """What the user or the agent said at once, without secrets."""

    role: Literal["user", "assistant"]
    text: str
    files: tuple[str, ...] = ()
    """The files that the agent edited with it."""


def messages_of(lines: Iterable[bytes]) -> list[Message]:
    """Return the messages that *lines* hold; a line that is not understood holds none."""
    found: list[Message] = []
    for line in lines:
        entry = entry_of(line)
        message = message_of(entry) if entry else None
        if message and (message.text or message.files):
            found.append(message)
    return found


def entry_of(line: bytes) -> Mapping[str, Any] | None:
    """Return a line as an object; None when it is none."""
    try:
        entry: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return cast("Mapping[str, Any]", entry) if isinstance(entry, dict) else None


def message_of(entry: Mapping[str, Any]) -> Message | None:
    """Return the message that an entry is; None when it is another thing."""
    role, message = entry.get("type"), entry.get("message")
    is_other = entry.get("isMeta") or entry.get("isSidechain") or entry.get("isCompactSummary")
    if role not in ("user", "assistant") or is_other or not isinstance(message, dict):
        return None
    content = cast("Mapping[str, Any]", message).get("content")
    text = _text_of(content)
    if role == "user":
        text = "" if text.lstrip().startswith(_BY_CLIENT) else text
    return Message(role, redacted(text).strip(), _files_of(content))


def plain_messages(text: str) -> list[Message]:
    """Return the messages of a text without a transcript's form.

    Lines that begin with `User:` or `Assistant:` begin a message. Without them all of it is the user's.
    """
    parts = re.split(r"(?mi)^(user|human|assistant|agent|ai)\s*:\s*", redacted(text))
    found = [Message("user", parts[0].strip())] if parts[0].strip() else []
    for name, said in zip(parts[1::2], parts[2::2], strict=True):
        found.append(Message("user" if name.lower() in ("user", "human") else "assistant", said.strip()))
    return [message for message in found if message.text]


def _text_of(content: Any) -> str:
    if isinstance(content, str):
        return _REMINDER.sub("", content)
    texts = [block.get("text") for block in _blocks(content) if block.get("type") == "text"]
    return _REMINDER.sub("", "\n\n".join(text for text in texts if isinstance(text, str)))


def _files_of(content: Any) -> tuple[str, ...]:
    calls = [block for block in _blocks(content) if block.get("type") == "tool_use" and block.get("name") in EDITING]
    files: list[str] = []
    for call in calls:
        given: Any = call.get("input")
        path: Any = (given.get("file_path") or given.get("notebook_path")) if isinstance(given, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if isinstance(path, str):
            files.append(path)
    return tuple(files)


def _blocks(content: Any) -> list[Mapping[str, Any]]:
    blocks: list[Any] = cast("list[Any]", content) if isinstance(content, list) else []
    return [cast("Mapping[str, Any]", block) for block in blocks if isinstance(block, dict)]
