"""Limit the connections of HTTP.

Any program here can connect; libzmq ends the process when descriptors run out, and hypercorn bounds sessions, not
connections. So we own the port, and join connections to hypercorn's socket in a private folder. A surplus connection
closes the longest silent one.
"""

import socket
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import trio

from palimp_daemon.runtime.byte_relay import carry_both_ways

CONNECTIONS_MAX: Final = 128
"""Connections at once: a client has a few, a user some clients."""

CONNECTIONS_MIN: Final = 2
"""Connections if descriptors are scarce: one listens, one asks."""

DESCRIPTORS_FOR_ONE: Final = 48
"""Descriptors per connection, which takes three: HTTP uses a sixteenth at most."""

FULL_S: Final = 0.1
"""Seconds until the next try when descriptors are out all the same."""


def connections(descriptors: int) -> int:
    """Return the connections that *descriptors* (negative: unlimited) allow."""
    if descriptors < 0:
        return CONNECTIONS_MAX
    return max(CONNECTIONS_MIN, min(CONNECTIONS_MAX, descriptors // DESCRIPTORS_FOR_ONE))


class _Connection:
    def __init__(self) -> None:
        self.scope = trio.CancelScope()
        self.gone = trio.Event()
        self.note()

    def note(self) -> None:
        self.said_at = trio.current_time()


class HttpConnectionLimit:
    """Lets *most* connections of *port* through to the server at *inner*."""

    def __init__(self, port: socket.socket, inner: Path, most: int) -> None:
        self._port = port
        self._inner = inner
        self._most = most
        self._open: list[_Connection] = []

    async def run(self) -> None:
        """Accept connections until cancelled."""
        self._port.settimeout(0)
        listener = trio.SocketListener(trio.socket.from_stdlib_socket(self._port))
        async with listener, trio.open_nursery() as nursery:
            while True:
                try:
                    stream = await listener.accept()
                except OSError:
                    await trio.sleep(FULL_S)
                    continue
                if len(self._open) >= self._most:
                    oldest = min(self._open, key=lambda each: each.said_at)
                    oldest.scope.cancel()
                    await oldest.gone.wait()
                connection = _Connection()
                self._open.append(connection)
                nursery.start_soon(self._serve, stream, connection)

    async def _serve(self, stream: trio.SocketStream, connection: _Connection) -> None:
        try:
            with connection.scope:
                async with stream:
                    with suppress(OSError, trio.BrokenResourceError):
                        async with await trio.open_unix_socket(self._inner) as server:
                            await carry_both_ways(stream, server, connection.note)
        finally:
            self._open.remove(connection)
            connection.gone.set()


@contextmanager
def inner_listener() -> Generator[tuple[Path, socket.socket]]:
    """Yield path and socket of a listener that only this user can reach."""
    with TemporaryDirectory(prefix="palimp-http-", ignore_cleanup_errors=True) as folder:  # made with mode 0700
        path = Path(folder) / "http.sock"
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        try:
            listener.bind(str(path))
            listener.listen()
        except OSError:
            listener.close()
            raise
        yield path, listener
