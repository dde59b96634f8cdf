"""Are the socket and the database still ours? Looked at every CHECK_S.

Theory
------
A socket whose path was removed or taken goes on accepting those who are connected, and nobody new. A database that was
moved away or replaced goes on taking writes, into a file that no later daemon opens. Neither is an error to the kernel.
So the paths are compared with what they were when they were opened: device and inode. Without its socket the daemon
ends, and the next client starts another. Without its database it refuses everything: what it would acknowledge could
be lost.
"""

from pathlib import Path
from typing import Final

import trio

from palimp_daemon.calls import Calls
from palimp_daemon.log import Log
from palimp_protocol.errors import ErrorCode, PalimpError

CHECK_S: Final = 5.0
"""Seconds between two looks: two calls of stat."""

Place = tuple[int, int]
"""Device and inode."""


def place_of(path: Path) -> Place | None:
    """Return where the file at *path* is, behind links; None when there is none."""
    try:
        at = path.stat()
    except OSError:
        return None
    return at.st_dev, at.st_ino


async def keep_looking(calls: Calls, socket_place: Place | None, log: Log) -> None:
    """Look every CHECK_S; *socket_place* is where the socket was when it was made. Runs until cancelled."""
    config, actor = calls.config, calls.actor
    while True:
        await trio.sleep(CHECK_S)
        if socket_place is not None and place_of(config.socket) != socket_place:
            log("socket_lost", socket=str(config.socket))
            calls.state.stop.set()
        if actor.opened_at is not None and actor.problem is None and place_of(config.database) != actor.opened_at:
            log("database_lost", database=str(config.database))
            actor.refuse(_lost(config.database))


def _lost(path: Path) -> PalimpError:
    what = "was replaced" if place_of(path) else "is gone from its place"
    return PalimpError(
        ErrorCode.STORE_UNAVAILABLE,
        f"{path} {what} while palimp had it open. Nothing more is stored, since it would be lost.",
        "Put it back where it was (a copy needs its -wal beside it), then `palimp stop`.",
    )
