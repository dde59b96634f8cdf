"""A non-blocking connection to the daemon."""

import select
import socket
import time
from collections.abc import Sequence
from typing import Final, Self

from palimp_protocol.wire.frames import Frame, decode, encode
from palimp_shim.transport.zmtp import OPENING, Decoder, ZmtpError, encode_message

READ_BYTES: Final = 64 * 1024
"""Bytes read at once. From 128 KiB on, the C library maps and unmaps the buffer at each read, which takes longer than
the read.
"""


class Connection:
    """A connection; if broken, every method but `close` raises OSError."""

    def __init__(self, connected: socket.socket) -> None:
        connected.settimeout(0)
        self._socket = connected
        self._decoder = Decoder()
        self._unsent = bytearray(OPENING)
        self._held = bytearray()
        """Messages to send after READY: libzmq closes a connection on an earlier one."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def fileno(self) -> int:
        """Return the descriptor to wait on."""
        return self._socket.fileno()

    @property
    def is_ready(self) -> bool:
        """Whether the daemon takes messages."""
        return self._decoder.is_ready

    @property
    def is_sending(self) -> bool:
        """Whether `flush` has something to send."""
        return bool(self._unsent)

    def send(self, parts: Sequence[bytes]) -> None:
        """Send a message, or keep its rest."""
        (self._unsent if self._decoder.is_ready else self._held).extend(encode_message(parts))
        self.flush()

    def flush(self) -> None:
        """Send what the socket takes."""
        try:
            while self._unsent:
                del self._unsent[: self._socket.send(self._unsent)]
        except BlockingIOError:
            pass

    def receive(self) -> list[list[bytes]]:
        """Return messages so far, as parts."""
        try:
            data = self._socket.recv(READ_BYTES)
        except BlockingIOError:
            return []
        if not data:
            raise ZmtpError("the daemon closed the connection")
        messages = self._decoder.feed(data)
        self._unsent += self._decoder.take_replies()
        if self._held and self._decoder.is_ready:
            self._unsent += self._held
            self._held.clear()
        self.flush()
        return messages

    def ask(self, frame: Frame, ends_at: float) -> Frame:
        """Send *frame* and return its answer, until monotonic *ends_at*.

        Raises:
            OSError: the daemon is gone, the time is over (TimeoutError), or that is no ZMTP.
            FrameError: that is no frame of this version.
        """
        self.send(encode(frame))
        while True:
            self._wait(select.POLLIN | (select.POLLOUT if self.is_sending else 0), ends_at)
            self.flush()
            for parts in self.receive():
                answer = decode(parts)
                if answer.id == frame.id:
                    return answer

    def leave(self, last: Frame, ends_at: float) -> None:
        """Send *last* and wait until all is read, or *ends_at*.

        Raises:
            OSError: always; TimeoutError when the time is over.
        """
        self.send(encode(last))
        while self.is_sending:
            self._wait(select.POLLOUT, ends_at)
            self.flush()
        # To close with something unread would take what is on its way to the daemon back.
        self._socket.shutdown(socket.SHUT_WR)
        while True:
            self._wait(select.POLLIN, ends_at)
            self.receive()

    def close(self) -> None:
        """Close the connection in any state."""
        self._socket.close()

    def _wait(self, events: int, ends_at: float) -> None:
        poller = select.poll()
        poller.register(self._socket, events)
        left_s = ends_at - time.monotonic()
        if left_s <= 0 or not poller.poll(left_s * 1000):
            raise TimeoutError("the time is over")
