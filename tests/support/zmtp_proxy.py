"""A proxy between a relay and the daemon that can stop the talk at a chosen message.

It forwards bytes and understands just enough of ZMTP 3 (rfc.zeromq.org/spec/23) to know where a message
begins and ends and, from palimp's head part, of which kind it is. So a test can hold a connection in a
known state, for instance with half a reply delivered, and kill the daemon then.
"""

import contextlib
import socket
import threading
from collections.abc import Iterator
from pathlib import Path

from palimp_protocol.wire.frames import Kind

GREETING_BYTES = 64
MORE, LONG, COMMAND = 1, 2, 4

UP = "to the daemon"
DOWN = "to the relay"


class Proxy:
    """Forwards connections at *path* to *upstream*; `hold` says where to stop."""

    def __init__(self, path: Path, upstream: Path) -> None:
        self.upstream = upstream
        self.held = threading.Event()
        """Set once a message was stopped."""
        self._hold: tuple[str, Kind | None] | None = None
        self._half = self._once = False
        self._released = threading.Event()
        self._released.set()
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(path))
        self._listener.listen(16)
        threading.Thread(target=self._accept, daemon=True).start()

    def hold(self, direction: str, kind: Kind | None, *, half: bool = False, once: bool = False) -> None:
        """Stop at the next message of *kind* in *direction* (None: the very first byte), after half of it if *half*.

        With *once*, connections that are made later are not stopped.
        """
        self.held.clear()
        self._released.clear()
        self._half, self._once = half, once
        self._hold = (direction, kind)

    def release(self) -> None:
        """Let everything pass again."""
        self._hold = None
        self._released.set()

    def close(self) -> None:
        """Accept no more."""
        self.release()
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.socket(socket.AF_UNIX)
                try:
                    server.connect(str(self.upstream))
                except OSError:
                    client.close()
                    server.close()
                    continue
                for source, target, direction in ((client, server, UP), (server, client, DOWN)):
                    threading.Thread(target=self._pump, args=(source, target, direction), daemon=True).start()

    def _pump(self, source: socket.socket, target: socket.socket, direction: str) -> None:
        try:
            if self._hold == (direction, None):
                self._stop()
            for kind, data in _messages(source):
                if kind is not None and self._hold == (direction, kind):
                    middle = len(data) // 2 if self._half else 0
                    target.sendall(data[:middle])
                    self._stop()
                    target.sendall(data[middle:])
                else:
                    target.sendall(data)
        except OSError:
            pass
        finally:
            for end in (source, target):
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()

    def _stop(self) -> None:
        if self._once:
            self._hold = None
        self.held.set()
        self._released.wait()


def _messages(source: socket.socket) -> Iterator[tuple[Kind | None, bytes]]:
    """Yield each whole message with its kind; the greeting and commands have none."""
    stream = source.makefile("rb")
    for _ in range(GREETING_BYTES):  # each side waits for parts of the other's
        yield None, _exactly(stream, 1)
    message, kind = b"", None
    while True:
        flags = _exactly(stream, 1)
        length_bytes = _exactly(stream, 8 if flags[0] & LONG else 1)
        body = _exactly(stream, int.from_bytes(length_bytes, "big"))
        if flags[0] & COMMAND:
            yield None, flags + length_bytes + body
            continue
        kind = kind or (Kind(body[1]) if not message else None)
        message += flags + length_bytes + body
        if not flags[0] & MORE:
            yield kind, message
            message, kind = b"", None


def _exactly(stream, count: int) -> bytes:
    data = stream.read(count)
    if len(data) < count:
        raise OSError("the connection ended")
    return data
