"""The end of a session's transcript: what the user asked for last, and what the agent said last.

A transcript is JSON Lines that the client appends to while we read; a line that is cut or not understood is skipped.
Only the end is read.
"""

import json
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

TAIL_BYTES: Final = 256 * 1024
"""Bytes from the end that are looked through: a turn of a few long tool results."""

WORDS_CHARACTERS_MAX: Final = 300
"""What is kept of a request or a statement."""


class LastWords(NamedTuple):
    """The user's last request and the agent's last statement; empty when they are not found."""

    request: str
    statement: str


def last_words(path: str) -> LastWords:
    """Return the last words of the transcript at *path*; none when it cannot be read."""
    request = statement = ""
    for entry in _entries_backwards(path):
        message = cast("Mapping[str, Any]", entry.get("message") or {})
        if entry.get("isMeta") or entry.get("isSidechain"):
            continue
        text = _text_of(message.get("content"))
        if entry.get("type") == "assistant" and text and not statement:
            statement = _short(text)
        if entry.get("type") == "user" and text:
            request = _short(text)
            break
    return LastWords(request, statement)


def _entries_backwards(path: str) -> Iterator[Mapping[str, Any]]:
    for line in reversed(_tail(path).split(b"\n")):
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict):
            yield cast("Mapping[str, Any]", entry)


def _tail(path: str) -> bytes:
    """Return the end of a plain file."""
    try:
        with Path(path).open("rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                return b""
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - TAIL_BYTES))
            return stream.read(TAIL_BYTES)
    except (OSError, ValueError):
        return b""


def _text_of(content: Any) -> str:
    """Return the text of a message's content, tool calls and results left out."""
    if isinstance(content, str):
        return "" if content.startswith(("<command-", "<local-command", "<system-reminder")) else content
    blocks = cast("list[Mapping[str, Any]]", [each for each in _list(content) if isinstance(each, dict)])
    texts = [str(block.get("text", "")) for block in blocks if block.get("type") == "text"]
    return " ".join(text for text in texts if not text.startswith("<system-reminder"))


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= WORDS_CHARACTERS_MAX else words[: WORDS_CHARACTERS_MAX - 1] + "…"
