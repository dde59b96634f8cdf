"""Reading a session's transcript: its end, for the last words, or on from where it was read last.

A transcript is JSON Lines that the client appends to while we read. It grows without bound, may be replaced by
another, and may end in half a line; most of its bytes are no messages. So it is read in bounded slices, up to the last
whole line, and a line that cannot be a message is not parsed.
"""

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from palimp_daemon.capture.messages import Message, entry_of, message_of, messages_of
from palimp_daemon.plain_files import open_plain

TAIL_BYTES: Final = 256 * 1024
"""Bytes from the end that are looked through for the last words: a turn of a few long tool results."""

WORDS_CHARACTERS_MAX: Final = 300
"""What is kept of a request or a statement."""

READ_BYTES_MAX: Final = 32 * 1024 * 1024
"""Bytes read at once of what is new; the rest the next time. Eight turns are far less."""

MESSAGE_LINE_BYTES_MAX: Final = 256 * 1024
"""A longer line is no message of a person or an agent."""

HEAD_BYTES: Final = 256
"""Bytes at the beginning by which a transcript is known again."""


class LastWords(NamedTuple):
    """The user's last request and the agent's last statement; empty when they are not found."""

    request: str
    statement: str


class Place(NamedTuple):
    """How far a transcript was read. *head* is a hash of how it begins: another one is another file."""

    offset: int = 0
    head: str = ""


class News(NamedTuple):
    """What a transcript says since a place, and the place it was read to."""

    messages: list[Message]
    place: Place


def last_words(path: str) -> LastWords:
    """Return the last words of the transcript at *path*, without secrets; none when it cannot be read."""
    request = statement = ""
    for message in _messages_backwards(path):
        if message.role == "assistant" and message.text and not statement:
            statement = short(message.text, WORDS_CHARACTERS_MAX)
        if message.role == "user" and message.text:
            request = short(message.text, WORDS_CHARACTERS_MAX)
            break
    return LastWords(request, statement)


def news_of(path: str, place: Place) -> News:
    """Return what the transcript at *path* says since *place*; nothing when it cannot be read.

    A file that is shorter than it was, or begins otherwise, is read from its beginning.
    """
    try:
        with open_plain(Path(path)) as stream:
            head = hashlib.sha256(stream.read(HEAD_BYTES)).hexdigest()[:16]
            size = stream.seek(0, os.SEEK_END)
            is_known = place.head == head and place.offset <= size
            start = place.offset if is_known else 0
            stream.seek(start)
            data = stream.read(READ_BYTES_MAX)
    except (OSError, ValueError):
        return News([], place)
    end = data.rfind(b"\n") + 1
    if not end and len(data) == READ_BYTES_MAX:
        end = len(data)  # one line that fills all we read: no message, and not to be met again
    # Too short to be known again: not read on from, but there is little of it.
    read_to = Place(start + end, head) if size >= HEAD_BYTES else Place()
    return News(messages_of(_candidates(data[:end])), read_to)


def short(text: str, characters: int) -> str:
    """Return *text* on one line, cut to *characters*."""
    words = " ".join(text.split())
    return words if len(words) <= characters else words[: characters - 1] + "…"


def _candidates(data: bytes) -> Iterator[bytes]:
    """Yield the lines that may be messages: parsing the others takes most of the time."""
    for line in data.split(b"\n"):
        if len(line) <= MESSAGE_LINE_BYTES_MAX and (b'"user"' in line or b'"assistant"' in line):
            yield line


def _messages_backwards(path: str) -> Iterator[Message]:
    for line in reversed(_tail(path).split(b"\n")):
        entry = entry_of(line)
        if entry and (message := message_of(entry)):
            yield message


def _tail(path: str) -> bytes:
    """Return the end of a plain file."""
    try:
        with open_plain(Path(path)) as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - TAIL_BYTES))
            return stream.read(TAIL_BYTES)
    except (OSError, ValueError):
        return b""
