"""Which erasures wait until the database is written anew.

An erasure is noted in the transaction that deletes (`note_erasure`) and settled after the rewrite (`settle_erasures`).
Whatever interrupts the rewrite, the note is still there at the next start.
"""

from pathlib import Path
from typing import Final

import apsw

from palimp_daemon.runtime.sql import value
from palimp_daemon.store.store import Store

_PENDING: Final = "SELECT count(*) FROM erasures"


def note_erasure(store: Store, now_ms: int) -> None:
    """Note that something was deleted for good. In the transaction that deletes it."""
    store.connection.execute("INSERT INTO erasures (at) VALUES (?)", (now_ms,))


def pending_erasure(store: Store) -> int:
    """Return the number of the newest erasure that waits for a rewrite; 0: none does."""
    return value(store.connection, "SELECT max(id) FROM erasures") or 0


def pending_erasures(store: Store) -> int:
    """Return how many erasures wait for a rewrite."""
    return value(store.connection, _PENDING)


def settle_erasures(store: Store, up_to: int) -> None:
    """Remove the notes of the erasures numbered *up_to* and below: the database was written anew after them."""
    store.connection.execute("DELETE FROM erasures WHERE id <= ?", (up_to,))


def has_pending_erasures(path: Path) -> bool:
    """Return whether an erasure waits in the database at *path*, which nobody has open and which is left as it is.

    False where it cannot be read: whoever opens it finds out why.
    """
    try:
        connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)
        try:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            return bool(value(connection, _PENDING))
        finally:
            connection.close()
    except apsw.Error:
        return False
