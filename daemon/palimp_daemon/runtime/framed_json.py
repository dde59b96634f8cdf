"""Frame JSON messages of child processes: length in four big-endian bytes, then JSON.

JSON is ASCII, so that lone surrogates (names and texts of any bytes) arrive unchanged.
"""

import json
import struct
from io import BufferedIOBase
from typing import Any, Final

LENGTH: Final = struct.Struct("!I")
"""Header of a message."""


def encode_frame(message: Any) -> bytes:
    """Encode *message* as JSON, with its header."""
    body = json.dumps(message).encode("ascii")
    return LENGTH.pack(len(body)) + body


def receive_framed(stream: BufferedIOBase) -> Any:
    """Read the next message of *stream*; None at its end."""
    head = stream.read(LENGTH.size)
    return json.loads(stream.read(*LENGTH.unpack(head))) if len(head) == LENGTH.size else None


def send_framed(stream: BufferedIOBase, message: Any) -> None:
    """Write *message* to *stream*."""
    stream.write(encode_frame(message))
    stream.flush()
