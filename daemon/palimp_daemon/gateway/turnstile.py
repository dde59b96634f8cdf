"""The door where descriptors are few: clients come in one by one, and no more than there is room for.

Theory
------
libzmq ends the process when it cannot accept a connection for want of a descriptor (ipc_listener.cpp of 4.3.5), and
its thread accepts a crowd before a line of Python runs. So where the limit cannot be lifted, libzmq is given a socket
that only we use; the one that clients know is ours. Who comes in is joined to a connection of their own to libzmq's,
both ways, byte by byte; who does not find room waits in the backlog until somebody leaves. That costs three
descriptors and two more copies of all that is said, so it is done only there.
"""

import socket
import struct
import sys
from contextlib import suppress
from pathlib import Path
from typing import Final

import trio

from palimp_daemon.gateway.listener import listening_socket

INNER: Final = "~"
"""Added to the name of the clients' socket for libzmq's, in the same folder; the paths of sockets are short."""

ENOUGH_DESCRIPTORS: Final = 4_096
"""A limit of which clients never use up enough to matter: each takes one, and 200 sessions at once are many."""

OWN_DESCRIPTORS: Final = 34
"""What the daemon needs itself: 20 when nothing happens (`make soak`, L2), and files, `git` and backups beside."""

OF_A_CLIENT: Final = 3
"""Descriptors of a client that comes in here: its connection, and both ends of the one to libzmq."""

CHUNK_BYTES: Final = 65_536
"""Read at once: what a Unix socket holds by default is three times that."""

FULL_S: Final = 0.1
"""Seconds until the next try when there is no descriptor all the same: somebody else took it."""

_CREDENTIALS: Final = struct.Struct("3i")
"""ucred of unix(7): process, user, group."""


def seats(descriptors: int) -> int | None:
    """Return how many clients fit where a process may have *descriptors*; None: all that come."""
    if not sys.platform.startswith("linux") or not 0 <= descriptors < ENOUGH_DESCRIPTORS:
        return None
    return max(1, (descriptors - OWN_DESCRIPTORS) // OF_A_CLIENT)


class Turnstile:
    """Lets the clients of *door*, which is at *path*, through to a socket beside it, *seats* at a time.

    Raises:
        ListenError: as `listening_socket`.
    """

    def __init__(self, door: socket.socket, path: Path, seats: int, user_id: int) -> None:
        self.seats = seats
        self._door = door
        self._free = trio.Semaphore(seats)
        self._user_id = user_id
        self._path = path.with_name(path.name + INNER)
        self.inner = listening_socket(self._path)
        """What libzmq is to serve."""

    def close(self) -> None:
        """Let nobody in any more."""
        self._door.close()
        self._path.unlink(missing_ok=True)

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Let clients in until cancelled."""
        self._door.settimeout(0)
        listener = trio.SocketListener(trio.socket.from_stdlib_socket(self._door.dup()))
        async with listener, trio.open_nursery() as nursery:
            task_status.started()
            while True:
                await self._free.acquire()
                nursery.start_soon(self._join, await self._accept(listener))

    async def _accept(self, listener: trio.SocketListener) -> trio.SocketStream:
        while True:
            try:
                return await listener.accept()
            except OSError:
                await trio.sleep(FULL_S)

    async def _join(self, client: trio.SocketStream) -> None:
        """Carry what *client* and libzmq say to one another, until one of them leaves."""
        try:
            async with client:
                if _user_of(client) != self._user_id:
                    return
                with suppress(OSError, trio.BrokenResourceError):
                    async with await trio.open_unix_socket(self._path) as server, trio.open_nursery() as nursery:
                        nursery.start_soon(_carry, client, server, nursery.cancel_scope)
                        nursery.start_soon(_carry, server, client, nursery.cancel_scope)
        finally:
            self._free.release()


def _user_of(client: trio.SocketStream) -> int:
    credentials = client.socket.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _CREDENTIALS.size)
    return int(_CREDENTIALS.unpack(credentials)[1])


async def _carry(source: trio.SocketStream, sink: trio.SocketStream, over: trio.CancelScope) -> None:
    """Carry bytes from *source* to *sink* until either is closed."""
    with suppress(trio.BrokenResourceError):
        while chunk := await source.receive_some(CHUNK_BYTES):
            await sink.send_all(chunk)
    over.cancel()
