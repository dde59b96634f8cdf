"""Limit connections where file descriptors are few.

libzmq ends the process without a descriptor for a connection (ipc_listener.cpp of 4.3.5). So we own the clients'
socket, and join each to libzmq's, byte by byte; the surplus is refused in ZMTP. That costs three descriptors and two
copies each, so only if the limit cannot be lifted.
"""

import socket
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

import trio

from palimp_daemon.runtime.byte_relay import CHUNK_BYTES, carry_both_ways
from palimp_daemon.server.listener import listening_socket

INNER: Final = "~"
"""Suffix of libzmq's socket, beside the clients'; short, since socket paths are limited."""

ENOUGH_DESCRIPTORS: Final = 4_096
"""A limit out of clients' reach: each takes one, and 200 sessions are many."""

OWN_DESCRIPTORS: Final = 34
"""Descriptors for the daemon itself: 20 when idle (`make soak`, L2); files, `git`, backups."""

OF_A_CLIENT: Final = 3
"""Descriptors per client: its connection, and both ends of the one to libzmq."""

WAITS_S: Final = 0.5
"""Seconds that a new client waits for room, as commands and hooks soon leave; then it is refused."""

WAITING_MAX: Final = 4
"""Clients waiting at once, a descriptor each, out of OWN_DESCRIPTORS; others wait in the backlog."""

_COMMAND: Final = 4
_GREETING: Final = b"\xff" + b"\0" * 8 + b"\x7f\x03\x00" + b"NULL".ljust(20, b"\0") + b"\0" * 32
"""A ZMTP 3.0 server's first bytes (rfc.zeromq.org/spec/23); an ERROR command with a reason may follow."""

FULL_S: Final = 0.1
"""Seconds until the next try when descriptors are out all the same."""

_CREDENTIALS: Final = struct.Struct("3i")
"""ucred of unix(7): process, user, group."""


def seats(descriptors: int) -> int | None:
    """Return the clients that *descriptors* of the process allow; None: any number."""
    if not sys.platform.startswith("linux") or not 0 <= descriptors < ENOUGH_DESCRIPTORS:
        return None
    return max(1, (descriptors - OWN_DESCRIPTORS) // OF_A_CLIENT)


class ConnectionLimit:
    """Lets *seats* clients of *listener*, at *path*, through to a socket beside it.

    Raises:
        ListenError: as `listening_socket`.
    """

    def __init__(self, listener: socket.socket, path: Path, seats: int, user_id: int) -> None:
        self.seats = seats
        self._listener = listener
        self._free = trio.Semaphore(seats)
        self._waiting = trio.Semaphore(WAITING_MAX)
        self._user_id = user_id
        self._path = path.with_name(path.name + INNER)
        self.inner = listening_socket(self._path)

    def close(self) -> None:
        """Accept no more connections."""
        self._listener.close()
        self._path.unlink(missing_ok=True)

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Accept connections until cancelled."""
        self._listener.settimeout(0)
        listener = trio.SocketListener(trio.socket.from_stdlib_socket(self._listener.dup()))
        async with listener, trio.open_nursery() as nursery:
            task_status.started()
            while True:
                await self._waiting.acquire()
                nursery.start_soon(self._seat, nursery, await self._accept(listener))

    async def _accept(self, listener: trio.SocketListener) -> trio.SocketStream:
        while True:
            try:
                return await listener.accept()
            except OSError:
                await trio.sleep(FULL_S)

    async def _seat(self, nursery: trio.Nursery, client: trio.SocketStream) -> None:
        try:
            with trio.move_on_after(WAITS_S) as waiting:
                await self._free.acquire()
            if waiting.cancelled_caught:
                await self._refuse(client)
            else:
                nursery.start_soon(self._join, client)
        finally:
            self._waiting.release()

    async def _refuse(self, client: trio.SocketStream) -> None:
        why = (
            f"{self.seats} are connected, and the daemon may not have more file descriptors."
            " End some sessions, or raise the limit (ulimit -n, LimitNOFILE=), then `palimp stop`."
        ).encode()
        with suppress(OSError, trio.BrokenResourceError), trio.move_on_after(WAITS_S):
            body = b"\x05ERROR" + bytes((len(why),)) + why
            await client.send_all(_GREETING + bytes((_COMMAND, len(body))) + body)
            await client.send_eof()
            while await client.receive_some(CHUNK_BYTES):  # to close with something unread would take our words back
                pass
        await client.aclose()

    async def _join(self, client: trio.SocketStream) -> None:
        try:
            async with client:
                credentials = client.socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
                if int(_CREDENTIALS.unpack(credentials)[1]) != self._user_id:
                    return
                with suppress(OSError, trio.BrokenResourceError):
                    async with await trio.open_unix_socket(self._path) as server:
                        await carry_both_ways(client, server)
        finally:
            self._free.release()
