"""Opening the store: the connection, the full-text engine, and the indexes that are made from the tables."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from palimp_daemon.search.engine import Engine, choose_engine, prepare_index
from palimp_daemon.search.fts4 import FTS4
from palimp_daemon.search.fts5 import FTS5
from palimp_daemon.search.stems import Stems
from palimp_daemon.store.connection import StoreUnavailableError, open_database
from palimp_daemon.store.hunk_index import prepare_changes
from palimp_daemon.store.store import Store

ENGINES: Sequence[Engine] = (FTS5, FTS4)
"""Best first."""


def open_store(path: Path, wanted_engine: str) -> Store:
    """Open the database at *path* with *wanted_engine* (`auto`, `fts5` or `fts4`).

    Raises:
        StoreUnavailableError: see `open_database`; or this SQLite lacks the engine.
    """
    connection = open_database(path)
    try:
        engine = choose_engine(connection, wanted_engine, ENGINES)
        prepare_index(connection, engine)
    except LookupError as error:
        connection.close()
        raise StoreUnavailableError(str(error), "Set search.engine to auto.") from None
    except BaseException:
        connection.close()
        raise
    store = Store(connection, engine, path, Stems(partial(engine.tokenize, connection)))
    prepare_changes(store)
    return store
