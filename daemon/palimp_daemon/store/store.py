"""The store: the connection and what is known about it. Only the store thread touches one."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import apsw

from palimp_daemon.search.engine import Engine, choose_engine, prepare_index
from palimp_daemon.search.fts4 import FTS4
from palimp_daemon.search.fts5 import FTS5
from palimp_daemon.sql import value
from palimp_daemon.store.connection import StoreUnavailableError, open_database
from palimp_protocol.operations import Caller

ENGINES: Sequence[Engine] = (FTS5, FTS4)
"""Best first."""

GLOBAL_PROJECT = 0
"""The row of `projects` that stands for the global scope."""


@dataclass
class Store:
    """An open database and its full-text engine. No row is cached: a rollback would make the cache lie."""

    connection: apsw.Connection
    engine: Engine
    path: Path


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
    return Store(connection, engine, path)


def project_row(store: Store, caller: Caller) -> int | None:
    """Return the row of *caller*'s project, or None when nothing was ever saved in it."""
    if caller.project is None:
        return GLOBAL_PROJECT
    return value(store.connection, "SELECT id FROM projects WHERE root = ?", (caller.project.root,))


def ensure_project(store: Store, caller: Caller, now_ms: int) -> int:
    """Return the row of *caller*'s project, made if need be."""
    row = project_row(store, caller)
    if row is not None or caller.project is None:
        return row or GLOBAL_PROJECT
    store.connection.execute(
        "INSERT INTO projects (root, name, created_at) VALUES (?, ?, ?)",
        (caller.project.root, caller.project.name, now_ms),
    )
    return store.connection.last_insert_rowid()


def ensure_session(store: Store, caller: Caller, project: int, now_ms: int) -> int | None:
    """Return the row of *caller*'s session in *project*, made if need be; None when it has no session."""
    if caller.session is None:
        return None
    key = (caller.session.key, project)
    found = value(store.connection, "SELECT id FROM sessions WHERE key = ? AND project_id = ?", key)
    if found is not None:
        return found
    store.connection.execute(
        "INSERT INTO sessions (key, project_id, client, started_at) VALUES (?, ?, ?, ?)",
        (*key, caller.session.client, now_ms),
    )
    return store.connection.last_insert_rowid()
