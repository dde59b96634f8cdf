"""Copy the whole database some pages at a time, between other requests.

SQLite's backup (sqlite.org/backup.html) includes this connection's writes meanwhile, so it ends, as a snapshot.
"""

from collections.abc import Callable
from typing import Final, TypeVar

import apsw
import trio

from palimp_daemon.store.store import Store
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import Job
from palimp_protocol.errors import ErrorCode, PalimpError

T = TypeVar("T")

COPY_PAGES: Final = 256
"""Pages copied in one job: a megabyte, a few milliseconds."""


OF_NO_USE_LATER: Final = ("journal_mode = OFF", "synchronous = OFF")
"""Pragmas for a copy that is useless after this process."""


class NotCopiedError(PalimpError):
    """There is no room for the copy, or its file cannot be written."""

    def __init__(self, why: apsw.Error) -> None:
        super().__init__(ErrorCode.DISK_FULL, f"The copy cannot be written ({why}).", "Free some space.")


def nameless_database() -> apsw.Connection:
    """Return a temporary database, deleted with its connection (sqlite.org/tempfiles.html)."""
    connection = apsw.Connection("")
    for setting in OF_NO_USE_LATER:
        connection.execute(f"PRAGMA {setting}").fetchall()
    return connection


async def copy_database(actor: Actor, target: apsw.Connection, say: Callable[[Store], T]) -> T:
    """Copy *actor*'s database into *target*, used by nobody else; return *say* of the store at that moment.

    Raises:
        NotCopiedError: there is no room for it.
        PalimpError: the database cannot be read, or not now.
    """
    begun: list[apsw.Backup] = []

    def begin(store: Store) -> None:
        begun.append(target.backup("main", store.connection, "main"))

    def step(store: Store) -> tuple[T] | None:
        try:
            is_done = begun[0].step(COPY_PAGES)
        except (apsw.FullError, apsw.IOError, apsw.CantOpenError) as error:
            raise NotCopiedError(error) from error
        return (say(store),) if is_done else None

    def finish(_: Store) -> None:
        for backup in begun:
            backup.close(force=True)  # what went wrong was told by the step

    try:
        await actor.ask(Job(begin, is_write=False))
        while (said := await actor.ask(Job(step, is_write=False))) is None:
            pass
    finally:
        with trio.CancelScope(shield=True):
            await actor.ask(Job(finish, is_write=False))
    return said[0]
