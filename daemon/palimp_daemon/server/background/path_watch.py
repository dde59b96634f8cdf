"""Detect that the socket or the database file was moved or replaced while open.

The kernel reports neither, so device and inode are compared. Without its socket the daemon ends; without its database
it refuses everything, since acknowledged writes could be lost. Writers check that themselves (`group_commit`).
"""

from pathlib import Path
from typing import Final

import trio

from palimp_daemon.dispatch.state import DaemonState
from palimp_daemon.runtime.log import Log
from palimp_daemon.settings.startup import Config
from palimp_daemon.store.integrity.file_identity import Place, loss_of, place_of
from palimp_daemon.store.worker.actor import Actor

CHECK_S: Final = 5.0
"""Seconds between two looks, each two calls of stat."""


async def keep_looking(actor: Actor, state: DaemonState, config: Config, socket_place: Place | None, log: Log) -> None:
    """Look every CHECK_S; *socket_place* is the socket's original place."""
    while True:
        await trio.sleep(CHECK_S)
        if socket_place is not None and place_of_socket(config.socket) != socket_place:
            log("socket_lost", socket=str(config.socket))
            state.request_stop(by_user=False)
        if (
            actor.opened_at is not None
            and actor.problem is None
            and (lost := loss_of(config.database, actor.opened_at))
        ):
            log("database_lost", database=str(config.database))
            actor.refuse(lost)


def place_of_socket(path: Path) -> Place | None:
    """Return the place of the socket at *path*; None if unreachable."""
    try:
        return place_of(path)
    except OSError:
        return None
