"""Frames: three ZeroMQ parts, `[head, id, body]`.

Head: version and kind, two bytes. Id (64 bytes at most): an answer has its question's, and a write sent again is
applied once. Body: JSON, or empty.
"""

import itertools
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import Final, NamedTuple

from palimp_protocol.errors import ErrorCode, FrameError
from palimp_protocol.limits import FRAME_BYTES_MAX, FRAME_ID_BYTES_MAX, FRAME_PARTS

PROTOCOL_VERSION: Final = 1
"""Raised when an older peer could misunderstand a frame; new kinds and body fields do not raise it."""


class Kind(IntEnum):
    """The kind of a frame. Unknown kinds are answered with an error."""

    HELLO = 1
    """Client → daemon: its identity. Required before MCP frames, not before a REQUEST."""
    WELCOME = 2
    """Daemon → client: the answer to HELLO."""
    REQUEST = 3
    """Client → daemon: one typed operation."""
    REPLY = 4
    """Daemon → client: its result."""
    ERROR = 5
    """Daemon → client: its failure: code, text, hint."""
    MCP = 6
    """Either way: one JSON-RPC message, untouched."""
    RESET = 7
    """Daemon → client: unknown client; say HELLO again and resend unanswered frames."""
    BYE = 8
    """Either way: I am leaving."""
    PING = 9
    """Client → daemon: do you know me?"""
    PONG = 10
    """Daemon → client: yes."""


_KINDS: Final = {int(kind): kind for kind in Kind}


class Frame(NamedTuple):
    """A message: kind, id of question and answer, and body."""

    kind: Kind
    id: bytes
    body: bytes = b""


def encode(frame: Frame) -> list[bytes]:
    """Return the three parts of *frame*.

    Raises:
        FrameError: the id or the body is over its bound.
    """
    _check_bounds(frame.id, frame.body)
    return [bytes((PROTOCOL_VERSION, frame.kind)), frame.id, frame.body]


def decode(parts: Sequence[bytes]) -> Frame:
    """Return the frame in *parts* (without a ROUTER's identity).

    Raises:
        FrameError: these bytes are not a frame of this version.
    """
    if len(parts) != FRAME_PARTS:
        has = "fewer" if len(parts) < FRAME_PARTS else "more"
        raise FrameError(ErrorCode.BAD_FRAME, f"A message has {FRAME_PARTS} parts; this one has {has}.")
    head, frame_id, body = parts
    if len(head) != 2:
        raise FrameError(ErrorCode.BAD_FRAME, f"The first part of a message has 2 bytes; this one has {len(head)}.")
    if head[0] != PROTOCOL_VERSION:
        raise FrameError(
            ErrorCode.UNSUPPORTED_VERSION,
            f"The peer speaks version {head[0]} of the protocol; this side speaks version {PROTOCOL_VERSION}.",
            "Update palimp on both sides: `palimp stop`, then start a new session.",
        )
    kind = _KINDS.get(head[1])
    if kind is None:
        raise FrameError(ErrorCode.BAD_FRAME, f"No frame kind has the number {head[1]}.")
    _check_bounds(frame_id, body)
    return Frame(kind, frame_id, body)


def frame_ids(client: bytes) -> Iterator[bytes]:
    """Yield globally unique ids: *client*, 16 random bytes, and a counter of 8."""
    for number in itertools.count(1):
        yield client + number.to_bytes(8, "big")


def _check_bounds(frame_id: bytes, body: bytes) -> None:
    if len(frame_id) > FRAME_ID_BYTES_MAX:
        raise FrameError(
            ErrorCode.TOO_LARGE, f"A frame id has at most {FRAME_ID_BYTES_MAX} bytes; this one has {len(frame_id)}."
        )
    if len(body) > FRAME_BYTES_MAX:
        raise FrameError(
            ErrorCode.TOO_LARGE,
            f"A message has at most {FRAME_BYTES_MAX:,} bytes; this one has {len(body):,}.",
            "Send it in smaller pieces.",
        )
