"""ZMTP 3.0 (rfc.zeromq.org/spec/23) for a client with one connection. No I/O.

Importing zmq takes as long as all else before a hook's first byte. libzmq's heartbeats, of a later draft, are answered.
"""

from collections.abc import Sequence
from typing import Final

from palimp_protocol.limits import FRAME_BYTES_MAX

_MORE: Final = 1
_LONG: Final = 2
_COMMAND: Final = 4

_MECHANISM: Final = b"NULL".ljust(20, b"\0")
_GREETING: Final = b"\xff" + b"\0" * 8 + b"\x7f\x03\x00" + _MECHANISM + b"\0" * 32
_READY: Final = b"\x05READY\x0bSocket-Type\x00\x00\x00\x06DEALER"

PARTS_MAX: Final = 8
"""Parts of one message; the daemon's have three."""


class ZmtpError(ConnectionError):
    """Bytes that are no ZMTP, or unusable for a client."""


class RefusedError(ZmtpError):
    """The daemon refuses this connection; the text says why."""


def _frame(flags: int, body: bytes) -> bytes:
    if len(body) > 255:
        return bytes((flags | _LONG,)) + len(body).to_bytes(8, "big") + body
    return bytes((flags, len(body))) + body


OPENING: Final = _GREETING + _frame(_COMMAND, _READY)
"""A client's first bytes, sent without waiting for the other side."""


def encode_message(parts: Sequence[bytes]) -> bytes:
    """Return a message's bytes, to be sent when `Decoder.is_ready`."""
    *first, last = parts
    return b"".join([*(_frame(_MORE, part) for part in first), _frame(0, last)])


class Decoder:
    """Decodes a connection's bytes, in any pieces, into messages."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._parts: list[bytes] = []
        self._is_greeted = False
        self.is_ready = False
        """The other side sent READY: messages may be sent."""
        self.replies = b""
        """Answers to heartbeats, to be sent; the sender empties it."""

    def take_replies(self) -> bytes:
        """Return the answers to fed data, once."""
        replies, self.replies = self.replies, b""
        return replies

    def feed(self, data: bytes) -> list[list[bytes]]:
        """Return messages that end in *data*, as parts.

        Raises:
            ZmtpError: the connection is unusable.
        """
        self._data += data
        if not self._is_greeted and not self._take_greeting():
            return []
        messages: list[list[bytes]] = []
        at = 0
        while (end := self._end_of_frame(at)) is not None:
            flags = self._data[at]
            body = bytes(self._data[at + (9 if flags & _LONG else 2) : end])
            at = end
            if flags & _COMMAND:
                self._obey(body)
                continue
            self._parts.append(body)
            if not self.is_ready or len(self._parts) > PARTS_MAX:
                raise ZmtpError("the daemon sent what is no message")
            if not flags & _MORE:
                messages.append(self._parts)
                self._parts = []
        del self._data[:at]
        return messages

    def _take_greeting(self) -> bool:
        greeting = bytes(self._data[: len(_GREETING)])
        if greeting[:1] not in (b"", b"\xff") or greeting[9:10] not in (b"", b"\x7f"):
            raise ZmtpError("the daemon does not speak ZMTP")
        if len(greeting) < len(_GREETING):
            return False
        if greeting[10] < 3 or greeting[12:32] != _MECHANISM:
            raise ZmtpError("the daemon speaks another version of ZMTP")
        del self._data[: len(_GREETING)]
        self._is_greeted = True
        return True

    def _end_of_frame(self, at: int) -> int | None:
        have = len(self._data) - at
        if have < 2:
            return None
        if not self._data[at] & _LONG:
            head, size = 2, self._data[at + 1]
        elif have < 9:
            return None
        else:
            head, size = 9, int.from_bytes(self._data[at + 1 : at + 9], "big")
            if size > FRAME_BYTES_MAX:
                raise ZmtpError("the daemon sent what is no message")
        return at + head + size if have >= head + size else None

    def _obey(self, command: bytes) -> None:
        name_ends = 1 + (command[0] if command else 0)
        name, rest = command[1:name_ends], command[name_ends:]
        if name == b"READY":
            self.is_ready = True
        elif name == b"PING":  # two bytes say how long the other side waits; what follows comes back
            self.replies += _frame(_COMMAND, b"\x04PONG" + rest[2:18])
        elif name == b"ERROR":
            raise RefusedError(f"The daemon refused the connection: {rest[1:].decode('ascii', 'replace')}")
