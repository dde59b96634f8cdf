"""Serve HTTP on a local port: hypercorn runs an app on trio, each connection by itself.

To be imported on demand only, since it imports hypercorn.
"""

import errno
import socket
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

import trio
from hypercorn.app_wrappers import ASGIWrapper
from hypercorn.config import Config as HypercornConfig
from hypercorn.trio.tcp_server import TCPServer
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.typing import ConnectionState

from palimp_daemon.runtime.log import Log

HOST: Final = "127.0.0.1"

HEADERS_BYTES_MAX: Final = 32 * 1024
KEEP_ALIVE_S: Final = 60

LEAVES_S: Final = 1.0
"""Seconds to finish running answers when serving ends."""

Admit = Callable[[trio.SocketStream], Awaitable[bool]]
"""Tells whether a connection is served; it is closed if not."""


class PortTakenError(Exception):
    """The port cannot be listened on; the text has reason and remedy."""


def listen_on(port: int, how_to_move: str) -> socket.socket:
    """Return a socket on *port* of this machine only; *how_to_move* tells how to choose another.

    Raises:
        PortTakenError: it cannot.
    """
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen()
    except OSError as error:
        listener.close()
        why = "something else listens there" if error.errno == errno.EADDRINUSE else str(error.strerror)
        raise PortTakenError(
            f"Port {port} of {HOST} cannot be used: {why}. Choose another with {how_to_move}."
        ) from None
    return listener


class _Connection(TCPServer):
    async def _read_data(self) -> None:
        await super()._read_data()
        await self.idle_task.stop()


class HttpConnections:
    """Serves an app on a socket's connections, at most *most* at once."""

    def __init__(self, app: Any, log: Log, admit: Admit | None = None, most: int | None = None) -> None:
        self._app = ASGIWrapper(app)
        self._log = log
        self._admit = admit
        self._most = most
        self._open = 0
        self._context = WorkerContext(None)
        self._config = HypercornConfig()
        self._config.accesslog = self._config.errorlog = None
        self._config.h11_max_incomplete_size = HEADERS_BYTES_MAX
        self._config.keep_alive_timeout = KEEP_ALIVE_S
        self._config.include_server_header = False

    async def serve(self, listener: socket.socket, until: Callable[[], Awaitable[None]]) -> None:
        """Serve *listener* until *until* returns, pending requests LEAVES_S longer."""
        listener.settimeout(0)
        listeners = [trio.SocketListener(trio.socket.from_stdlib_socket(listener))]
        async with trio.open_nursery() as serving:
            async with trio.open_nursery() as accepting:
                accepting.start_soon(partial(trio.serve_listeners, self._serve_one, listeners, handler_nursery=serving))
                await until()
                accepting.cancel_scope.cancel()
            await self._context.terminated.set()
            serving.cancel_scope.deadline = trio.current_time() + LEAVES_S

    async def _serve_one(self, stream: trio.SocketStream) -> None:
        """Serve *stream*; errors of hypercorn end nothing else."""
        if self._most is not None and self._open >= self._most:
            return  # trio closes it
        self._open += 1
        try:
            if self._admit is None or await self._admit(stream):
                await _Connection(self._app, self._config, self._context, ConnectionState({}), stream)  # pyright: ignore[reportArgumentType]  without TLS
        except* Exception as errors:  # noqa: BLE001  whatever a client says, others are served
            self._log("http_connection_failed", why=repr(errors.exceptions[0]))
        finally:
            self._open -= 1
