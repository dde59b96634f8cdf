"""The lines of a session's transcript, read on from where it was read last.

A transcript is JSON Lines that the client appends to while we read. It grows without bound, may be replaced by
another, and may end in half a line; most of its bytes are no messages. So it is read in bounded slices, line by line up
to the last whole one, and a line that cannot be a message is not parsed. A line may hold pictures: megabytes of it are
read for a few words; one that is larger than that is passed over and counted.
"""

from collections.abc import Iterator
from typing import IO, Final, NamedTuple

READ_BYTES_MAX: Final = 32 * 1024 * 1024
"""Bytes read at once of what is new, and the rest of the last line; what follows, the next time. Eight turns are far
less."""

MESSAGE_LINE_BYTES_MAX: Final = 32 * 1024 * 1024
"""A longer line is passed over: a client sends no message of so much."""

CHUNK_BYTES: Final = 1024 * 1024
"""Bytes read at once of a line that is passed over."""

HEAD_BYTES: Final = 256
"""Bytes at the beginning by which a transcript is known again."""


class Place(NamedTuple):
    """How far a transcript was read. *head* is a hash of how it begins: another one is another file."""

    offset: int = 0
    head: str = ""


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
