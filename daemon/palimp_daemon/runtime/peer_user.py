"""Find the user at the other end of a local TCP connection, in the kernel's table.

`SO_PEERCRED` does not cover TCP. Only established IPv4 connections in /proc/net/tcp are read; on macOS no user is
known.
"""

import socket
import sys
from pathlib import Path
from typing import Final

import trio

from palimp_daemon.runtime.threads import in_thread

TABLE: Final = Path("/proc/net/tcp")

ESTABLISHED: Final = "01"

TRIES_MAX: Final = 3
"""The kernel writes the table in pieces, so a row may be missed while others come and go."""

Address = tuple[str, int]
"""An IPv4 address and a port."""


def user_in_table(table: str, peer: Address, ours: Address) -> int | None:
    """Return the user of the socket *peer* connected to *ours*, if listed."""
    local, remote = _hexadecimal(peer), _hexadecimal(ours)
    for line in table.splitlines()[1:]:
        fields = line.split()
        if len(fields) > 7 and fields[1:4] == [local, remote, ESTABLISHED]:
            return int(fields[7])
    return None


async def user_of_peer(stream: trio.SocketStream) -> int | None:
    """Return the user id at the other end, if known."""
    try:
        peer, ours = stream.socket.getpeername(), stream.socket.getsockname()
        return await in_thread(lambda: _looked_up(peer, ours))
    except (OSError, ValueError):
        return None


def _looked_up(peer: Address, ours: Address) -> int | None:
    tries = (user_in_table(TABLE.read_text("ascii"), peer, ours) for _ in range(TRIES_MAX))
    return next((user for user in tries if user is not None), None)


def are_users_known() -> bool:
    """Tell whether this machine lists its connections' users."""
    return TABLE.exists()


def _hexadecimal(address: Address) -> str:
    host, port = address
    return f"{int.from_bytes(socket.inet_aton(host), sys.byteorder):08X}:{port:04X}"
