"""A connection that bounds the bytes of an answer, and accepts few types of values.

The driver keeps an answer whole, libpq each message, and a server may be anybody's. So the socket's waiting bytes are
counted around each of libpq's reads. A message faster than the reads, as on this machine, is noticed at the next pause,
and bounded by the daemon's own limit.
"""

import fcntl
import struct
import termios
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any, Final

import psycopg
from psycopg.waiting import Ready

from palimp_daemon.features.team.transport import TransportError

ANSWER_BYTES_MAX: Final = 16 << 20
"""Bytes accepted for or between statements: twice the largest page, with two digits per byte."""

TAKEN_AT_ONCE: Final = 8_192
"""Bytes that libpq has room for at each read."""

CONNECTION_BYTES_MAX: Final = 256 << 20
"""Bytes after which the connection is replaced: libpq's memory for the server grows without bound."""

_READ_TYPES: Final = frozenset({16, 17, 19, 20, 21, 23, 25, 26, 705, 1043, 2205, 2278})
"""OIDs of decoded types: booleans, bytes, names, integers, texts, classes, nothing. Short texts of others may decode to
large values."""


class Counted:
    """Counts the bytes since the last whole answer; some that come during a read are missed."""

    def __init__(self) -> None:
        self.come = 0
        self.in_all = 0

    def while_bounded(self, gen: Any, fileno: int) -> Generator[Any, Any, Any]:
        """Run *gen*, waiting for the socket *fileno* or its own.

        Raises:
            TransportError: too many bytes came.
        """
        try:
            wanted = next(gen)
            while True:
                ready = yield wanted
                of = fileno if fileno >= 0 else wanted[0]
                before = _waiting_bytes(of) if ready and ready & Ready.R else 0
                wanted = gen.send(ready)
                if before:
                    self.note(before, _waiting_bytes(of))
        except StopIteration as done:
            self.come = 0
            return done.value

    def note(self, before: int, after: int) -> None:
        """Count a read that left *after* of *before* bytes in the socket.

        Raises:
            TransportError: it is too much.
        """
        taken = max(before - after, min(before, TAKEN_AT_ONCE))
        self.come += taken
        self.in_all += taken
        if self.come > ANSWER_BYTES_MAX:
            text = f"The server sends more than {ANSWER_BYTES_MAX >> 20} MB at once, which no team's database does."
            raise TransportError(text, _ANOTHERS)


class BoundedConnection(psycopg.Connection[Any]):
    """A connection that is closed if an answer exceeds `ANSWER_BYTES_MAX`."""

    def __init__(self, *parts: Any, **named: Any) -> None:
        super().__init__(*parts, **named)
        self._counted = Counted()

    @property
    def is_worn(self) -> bool:
        """Whether the connection should be replaced."""
        return self._counted.in_all > CONNECTION_BYTES_MAX

    def wait(self, gen: Any, *rest: Any, **named: Any) -> Any:
        """As in `psycopg.Connection`."""
        with self._closed_when_flooded():
            return super().wait(self._counted.while_bounded(gen, self.fileno()), *rest, **named)

    def execute(self, *statement: Any, **named: Any) -> "psycopg.Cursor[Any]":
        """As in `psycopg.Connection`.

        Raises:
            TransportError: the answer has types that palimp never uses.
        """
        cursor = super().execute(*statement, **named)
        if {column.type_code for column in cursor.description or ()} - _READ_TYPES:
            raise TransportError("The database answers with values of other types than a team's.", _ANOTHERS)
        return cursor

    def take_in(self) -> None:
        """Read unrequested data into libpq."""
        with self._closed_when_flooded():
            before = _waiting_bytes(self.fileno())
            self.pgconn.consume_input()
            self._counted.note(before, _waiting_bytes(self.fileno()))

    @contextmanager
    def _closed_when_flooded(self) -> Generator[None]:
        try:
            yield
        except TransportError:
            self.close()
            raise

    @classmethod
    def _connect_gen(cls, *parts: Any, **named: Any) -> Any:
        return Counted().while_bounded(super()._connect_gen(*parts, **named), -1)


_ANOTHERS: Final = "Is the address right? Whoever runs that server can say. What was not sent waits."


def _waiting_bytes(fileno: int) -> int:
    try:
        return struct.unpack("i", fcntl.ioctl(fileno, termios.FIONREAD, b"\0" * 4))[0]
    except OSError:  # it is closed
        return 0
