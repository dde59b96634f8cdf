"""Read a transcript's lines in bounded slices, up to the last whole one.

Clients append to it meanwhile, or replace it. Lines larger than any message with pictures are skipped and counted.
"""

from collections.abc import Iterator
from typing import IO, Final, NamedTuple

READ_BYTES_MAX: Final = 32 * 1024 * 1024
"""New bytes read at once, besides the rest of the last line. Eight turns are far less."""

MESSAGE_LINE_BYTES_MAX: Final = 32 * 1024 * 1024
"""Longer lines are skipped: no client's message is so long."""

CHUNK_BYTES: Final = 1024 * 1024
"""Bytes read at once of a skipped line."""

HEAD_BYTES: Final = 256
"""Bytes at the beginning that identify a transcript."""


class Place(NamedTuple):
    """A transcript's point reached. *head* is a hash of its beginning: another one, another file."""

    offset: int = 0
    head: str = ""


class WholeLines:
    """A stream's whole lines from *start* to *end*; READ_BYTES_MAX and a line's rest at most."""

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
        """It may be unfinished; its later rest is no JSON."""
        while line and not line.endswith(b"\n"):
            line = self._stream.readline(CHUNK_BYTES)
        self.end = self._stream.tell()
