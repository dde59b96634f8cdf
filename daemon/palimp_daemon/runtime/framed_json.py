"""Messages between the daemon and its child processes: four bytes of length, most significant first, and JSON.

JSON is written in ASCII, so that names and texts of all bytes, which hold lone surrogates, arrive as they were.
"""

import json
import struct
from io import BufferedIOBase
from typing import Any, Final

LENGTH: Final = struct.Struct("!I")
"""What stands before a message."""


def framed(message: Any) -> bytes:
    """Return *message*, which JSON can hold, as it is sent."""
    body = json.dumps(message).encode("ascii")
    return LENGTH.pack(len(body)) + body


def receive_framed(stream: BufferedIOBase) -> Any:
    """Return the next message of *stream*; None at its end."""
    head = stream.read(LENGTH.size)
    return json.loads(stream.read(*LENGTH.unpack(head))) if len(head) == LENGTH.size else None


def send_framed(stream: BufferedIOBase, message: Any) -> None:
    """Write *message* to *stream*."""
    stream.write(framed(message))
    stream.flush()
