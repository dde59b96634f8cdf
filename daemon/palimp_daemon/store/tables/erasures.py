"""SQL of `erasures`: deletions that wait for the database to be rewritten.

Noted in the deletion's transaction, so that an interrupted rewrite is repeated at the next start.
"""

from contextlib import closing
from pathlib import Path
from typing import Final

import apsw

from palimp_daemon.runtime.sql import value
from palimp_daemon.store.store import Store

_PENDING: Final = "SELECT count(*) FROM erasures"


def note_erasure(store: Store, now_ms: int) -> None:
    """Note a deletion for good, in its transaction."""
    store.insert("erasures (at)", (now_ms,))


def pending_erasure(store: Store) -> int:
    """Return the number of the newest erasure that waits for a rewrite; 0: none."""
    return store.value("SELECT max(id) FROM erasures") or 0


def pending_erasures(store: Store) -> int:
    """Count the erasures that wait for a rewrite."""
    return store.value(_PENDING)


def settle_erasures(store: Store, up_to: int) -> None:
    """Remove the notes of erasures up to *up_to*, which a rewrite followed."""
    store.execute("DELETE FROM erasures WHERE id <= ?", (up_to,))


def has_pending_erasures(path: Path) -> bool:
    """Tell whether an erasure waits in the closed database at *path*; False: it cannot be read."""
    try:
        with closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)) as connection:
            connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            return bool(value(connection, _PENDING))
    except apsw.Error:
        return False
