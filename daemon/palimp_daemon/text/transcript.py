"""Reading a session's transcript: its end, for the last words, or on from where it was read last.

A transcript is JSON Lines that the client appends to while we read. It grows without bound, may be replaced by
another, and may end in half a line; most of its bytes are no messages. So it is read in bounded slices, line by line up
to the last whole one, and a line that cannot be a message is not parsed. A line may hold pictures: megabytes of it are
read for a few words; one that is larger than that is passed over and counted.
"""

import hashlib
import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Final, NamedTuple

from palimp_daemon.runtime.files import open_plain
from palimp_daemon.text.messages import Message, messages_of
from palimp_daemon.text.redact import Redactor

TAIL_BYTES: Final = 256 * 1024
"""Bytes from the end that are looked through for the last words: a turn of a few long tool results."""

LONG_TAIL_BYTES: Final = 8 * 1024 * 1024
"""Bytes from the end that are looked through when the last request is not among the former: behind some pictures."""

WORDS_CHARACTERS_MAX: Final = 300
"""What is kept of a request or a statement."""

READ_BYTES_MAX: Final = 32 * 1024 * 1024
"""Bytes read at once of what is new, and the rest of the last line; what follows, the next time. Eight turns are far
less."""

MESSAGE_LINE_BYTES_MAX: Final = 32 * 1024 * 1024
"""A longer line is passed over: a client sends no message of so much."""

CHUNK_BYTES: Final = 1024 * 1024
"""Bytes read at once of a line that is passed over."""

HEAD_BYTES: Final = 256
"""Bytes at the beginning by which a transcript is known again."""


class LastWords(NamedTuple):
    """The user's last request and the agent's last statement; empty when they are not found."""

    request: str
    statement: str

    @property
    def reason(self) -> str:
        """Why something was done then: both, on one line."""
        told = {"asked": self.request, "said": self.statement}
        return " · ".join(f"{how}: {words}" for how, words in told.items() if words)


def quotes_in(reason: str) -> list[str]:
    """Return the words that a `LastWords.reason` quotes, without the mark of those that were cut."""
    return [quote for part in _QUOTING.split(reason) if (quote := part.removesuffix("…").strip())]


_QUOTING: Final = re.compile(r"(?:^| · )(?:asked|said): ")


class Place(NamedTuple):
    """How far a transcript was read. *head* is a hash of how it begins: another one is another file."""

    offset: int = 0
    head: str = ""


class News(NamedTuple):
    """What a transcript says since a place, and the place it was read to."""

    messages: list[Message]
    place: Place
    is_end: bool = True
    """Whether there is no more for now."""
    too_long: int = 0
    """Lines that were passed over because of their length."""


def last_words(path: str, redact: Redactor) -> LastWords:
    """Return the last words of the transcript at *path*, without secrets; none when it cannot be read."""
    found = LastWords("", "")
    for most in (TAIL_BYTES, LONG_TAIL_BYTES):
        tail = _tail(path, most)
        found = _last_words_of(tail, redact)
        if found.request or len(tail) < most:
            break
    return found


def _last_words_of(tail: bytes, redact: Redactor) -> LastWords:
    request = statement = ""
    for line in reversed(tail.split(b"\n")):
        for message in messages_of([line] if _may_be_message(line) else [], redact):
            if message.role == "assistant" and message.text and not statement:
                statement = short(message.text, WORDS_CHARACTERS_MAX)
            if message.role == "user" and message.text:
                request = short(message.text, WORDS_CHARACTERS_MAX)
        if request:
            break
    return LastWords(request, statement)


def news_of(path: str, place: Place, redact: Redactor) -> News:
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
            lines = WholeLines(stream, start)
            messages = messages_of((line for line in lines if _may_be_message(line)), redact)
    except (OSError, ValueError):
        return News([], place)
    # Too short to be known again: not read on from, but there is little of it.
    read_to = Place(lines.end, head) if size >= HEAD_BYTES else Place()
    return News(messages, read_to, lines.is_end, lines.too_long)


class WholeLines:
    """The whole lines of a stream from *start* on, READ_BYTES_MAX and the rest of a line at most.

    *end* is behind the last of them. Lines that are passed over do not count.
    """

    def __init__(self, stream: IO[bytes], start: int) -> None:
        self._stream = stream
        self._left = READ_BYTES_MAX
        self.end = start
        self.is_end = False
        self.too_long = 0

    def __iter__(self) -> Iterator[bytes]:
        while self._left > 0:
            line = self._stream.readline(MESSAGE_LINE_BYTES_MAX + 1)
            if len(line) > MESSAGE_LINE_BYTES_MAX:
                self.too_long += 1
                self._pass_over(line)
            elif not line.endswith(b"\n"):
                self.is_end = True  # half a line, or nothing
                return
            else:
                self.end += len(line)
                self._left -= len(line)
                yield line

    def _pass_over(self, line: bytes) -> None:
        """Go to the end of a line that is too long. It may be unfinished; what is left of it later is no JSON."""
        while line and not line.endswith(b"\n"):
            line = self._stream.readline(CHUNK_BYTES)
        self.end = self._stream.tell()


def short(text: str, characters: int) -> str:
    """Return *text* on one line, cut to *characters*."""
    words = " ".join(text.split())
    return words if len(words) <= characters else words[: characters - 1] + "…"


def _may_be_message(line: bytes) -> bool:
    """Tell whether *line* may be a message: taking the others apart takes most of the time."""
    return b'"user"' in line or b'"assistant"' in line


def _tail(path: str, most: int) -> bytes:
    """Return the end of a plain file, *most* bytes of it."""
    try:
        with open_plain(Path(path)) as stream:
            size = stream.seek(0, os.SEEK_END)
            stream.seek(max(0, size - most))
            return stream.read(most)
    except (OSError, ValueError):
        return b""
