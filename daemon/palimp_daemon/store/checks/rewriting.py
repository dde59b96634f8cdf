"""Rewrite the database, so that no page has deleted data."""

import contextlib

import apsw

from palimp_daemon.search.engine import merge_completely
from palimp_daemon.store.checks.derived_indexes import ALL_DERIVED
from palimp_daemon.store.checks.rebuild import begin_rebuild
from palimp_daemon.store.sqlite_connection import checkpoint
from palimp_daemon.store.store import Store


def rewrite(store: Store) -> None:
    """Merge the indexes, rewrite the database, truncate its WAL. Not inside a transaction.

    On a full disk it retries with the reserved room.

    Raises:
        apsw.Error: there is no room for a second copy, or the disk fails; the database is as it was.
    """
    try:
        _rewrite(store)
    except apsw.FullError:
        store.ballast.release()
        _rewrite(store)


def _rewrite(store: Store) -> None:
    try:
        for derived in ALL_DERIVED:
            if derived.full_text and not merge_completely(store.connection, store.engine, derived.full_text):
                begin_rebuild(store, derived, "words of deleted rows were left in it")
        # The second copy is as large as the database: not in memory, as other temporary things are.
        store.execute("PRAGMA temp_store = FILE")
        try:
            store.execute("VACUUM")
        finally:
            store.execute("PRAGMA temp_store = MEMORY")  # which drops the temporary tables
            store.engine.prepare(store.connection)
    except apsw.Error:
        store.forget_index()
        with contextlib.suppress(apsw.Error):
            checkpoint(store.connection)  # what the WAL holds of a rewrite that failed fills the disk
        raise
    checkpoint(store.connection)
