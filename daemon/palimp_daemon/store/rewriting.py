"""Writing the database anew, so that no page says what was deleted."""

from palimp_daemon.search.engine import optimize_index
from palimp_daemon.store.connection import checkpoint
from palimp_daemon.store.store import Store


def rewrite(store: Store) -> None:
    """Merge the index, write the database anew, and empty its log. Not inside a transaction.

    Raises:
        apsw.Error: there is no room for a second copy, or the disk fails; the database is as it was.
    """
    connection = store.connection
    optimize_index(connection)
    # The second copy is as large as the database: not in memory, as other temporary things are.
    connection.execute("PRAGMA temp_store = FILE")
    try:
        connection.execute("VACUUM")
    finally:
        connection.execute("PRAGMA temp_store = MEMORY")  # which drops the temporary tables
        store.engine.prepare(connection)
    checkpoint(connection)
