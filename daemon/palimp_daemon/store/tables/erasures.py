"""SQL of `erasures`: deletions that wait for the database to be rewritten.

Noted in the deletion's transaction, so that a restart repeats an interrupted rewrite.
"""

from contextlib import closing
from pathlib import Path
from typing import Final

import apsw

from palimp_daemon.runtime.sql import value
from palimp_daemon.store.store import Store

_PENDING: Final = "SELECT count(*) FROM erasures"


def note_erasure(store: Store, now_ms: int) -> None:
    """Note an erasure, in its transaction."""
    store.insert("erasures (at)", (now_ms,))


def pending_erasure(store: Store) -> int:
    """Return the newest pending erasure's number; 0 for none."""
    return store.value("SELECT max(id) FROM erasures") or 0


def pending_erasures(store: Store) -> int:
    """Count the pending erasures."""
    return store.value(_PENDING)


def settle_erasures(store: Store, up_to: int) -> None:
    """Remove the notes up to *up_to*, after a rewrite."""
    store.execute("DELETE FROM erasures WHERE id <= ?", (up_to,))


def has_pending_erasures(path: Path) -> bool:
    """Tell whether a closed database has a pending erasure; False if unreadable."""
    try:
        with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)) as connection:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            return bool(value(connection, _PENDING))
    except apsw.Error:
        return False
