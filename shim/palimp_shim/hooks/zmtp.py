"""One request and its reply over ZMTP, ZeroMQ's wire protocol, on a plain Unix socket.

Importing zmq takes longer than everything else a hook does together, and a hook sends one message and reads one. So
this is the part of ZMTP 3.0 (rfc.zeromq.org/spec/23) that this takes: the greeting, the NULL mechanism's READY of a
DEALER, one message out, messages in. Everything else of palimp uses libzmq.
"""

import socket
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final, Self

from palimp_protocol.limits import FRAME_BYTES_MAX

_MORE: Final = 1
_LONG: Final = 2
_COMMAND: Final = 4

_GREETING: Final = b"\xff" + b"\0" * 8 + b"\x7f" + b"\x03\x00" + b"NULL".ljust(20, b"\0") + b"\0" + b"\0" * 31
_READY: Final = b"\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER"
_GREETING_BYTES: Final = 64
_PARTS_MAX: Final = 8


class Connection:
    """A DEALER's connection to the ROUTER at *path*, with a deadline for everything that is done with it.

    Use it as a context. Everything raises OSError when the daemon is gone, the time is over, or what comes is no ZMTP.
    """

    def __init__(self, path: Path, ends_at: float) -> None:
        self._ends_at = ends_at
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._path = path
        self._data = b""

    def __enter__(self) -> Self:
        try:
            self._wait_at_most()
            self._socket.connect(str(self._path))
            self._socket.sendall(_GREETING + _frame(_COMMAND, _READY))
            self._take(_GREETING_BYTES)
        except BaseException:
            self._socket.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def send(self, parts: Sequence[bytes]) -> None:
        """Send one message."""
        last = len(parts) - 1
        self._wait_at_most()
        self._socket.sendall(b"".join(_frame(_MORE if i < last else 0, part) for i, part in enumerate(parts)))

    def receive(self) -> list[bytes]:
        """Return the next message."""
        parts: list[bytes] = []
        while len(parts) <= _PARTS_MAX:
            flags = self._take(1)[0]
            size = int.from_bytes(self._take(8 if flags & _LONG else 1), "big")
            if size > FRAME_BYTES_MAX:
                break
            body = self._take(size)
            if flags & _COMMAND:
                continue
            parts.append(body)
            if not flags & _MORE:
                return parts
        raise OSError("the daemon sent what is no message")

    def _take(self, count: int) -> bytes:
        while len(self._data) < count:
            self._wait_at_most()
            chunk = self._socket.recv(1 << 16)
            if not chunk:
                raise OSError("the daemon closed the connection")
            self._data += chunk
        taken, self._data = self._data[:count], self._data[count:]
        return taken

    def _wait_at_most(self) -> None:
        """Let the next call on the socket wait for what is left of the time."""
        left_s = self._ends_at - time.monotonic()
        if left_s <= 0:
            raise TimeoutError("the time is over")
        self._socket.settimeout(left_s)


def _frame(flags: int, body: bytes) -> bytes:
    if len(body) > 255:
        return bytes([flags | _LONG]) + len(body).to_bytes(8, "big") + body
    return bytes([flags, len(body)]) + body
