"""Writing the database anew, so that no page says what was deleted; and which erasures still wait for it.

An erasure is noted in the transaction that deletes (`note_erasure`) and settled after the rewrite (`settle_erasures`).
Whatever interrupts the rewrite, the note is still there at the next start.
"""

import contextlib

import apsw

from palimp_daemon.runtime.sql import value
from palimp_daemon.search.engine import optimize_indexes
from palimp_daemon.store.connection import checkpoint
from palimp_daemon.store.store import Store


def note_erasure(store: Store, now_ms: int) -> None:
    """Note that something was deleted for good. In the transaction that deletes it."""
    store.connection.execute("INSERT INTO erasures (at) VALUES (?)", (now_ms,))


def pending_erasure(store: Store) -> int:
    """Return the number of the newest erasure that waits for a rewrite; 0: none does."""
    return value(store.connection, "SELECT max(id) FROM erasures") or 0


def pending_erasures(store: Store) -> int:
    """Return how many erasures wait for a rewrite."""
    return value(store.connection, "SELECT count(*) FROM erasures")


def settle_erasures(store: Store, up_to: int) -> None:
    """Remove the notes of the erasures numbered *up_to* and below: the database was written anew after them."""
    store.connection.execute("DELETE FROM erasures WHERE id <= ?", (up_to,))


def rewrite(store: Store) -> None:
    """Merge the indexes, rewrite the database, and truncate its WAL. Not inside a transaction.

    Where the disk is full it is tried once more with the room that is kept in reserve.

    Raises:
        apsw.Error: there is no room for a second copy, or the disk fails; the database is as it was.
    """
    try:
        _rewrite(store)
    except apsw.FullError:
        store.ballast.release()
        _rewrite(store)


def _rewrite(store: Store) -> None:
    connection = store.connection
    try:
        optimize_indexes(connection)
        # The second copy is as large as the database: not in memory, as other temporary things are.
        connection.execute("PRAGMA temp_store = FILE")
        try:
            connection.execute("VACUUM")
        finally:
            connection.execute("PRAGMA temp_store = MEMORY")  # which drops the temporary tables
            store.engine.prepare(connection)
    except apsw.Error:
        store.forget_index()
        with contextlib.suppress(apsw.Error):
            checkpoint(connection)  # what the WAL holds of a rewrite that failed fills the disk
        raise
    checkpoint(connection)
