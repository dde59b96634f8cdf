"""The store: the connection and what is known about it. Only the store thread touches one."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

import apsw

from palimp_daemon.search.engine import Engine
from palimp_daemon.search.stems import Stems
from palimp_daemon.sql import value
from palimp_protocol.operations import Caller

REMEMBERED_MAX: Final = 1_000
"""Projects and sessions remembered; a user has tens."""

K = TypeVar("K")

GLOBAL_PROJECT = 0
"""The row of `projects` that stands for the global scope."""


@dataclass
class Store:
    """An open database, its full-text engine, and what the last writes have shown to be in it.

    Each statement costs a hand-over of the interpreter's lock, so what every write needs is remembered:
    the rows of projects and sessions, and the ids of the running second. A rollback makes such knowledge
    wrong; whoever rolls back calls `forget`.
    """

    connection: apsw.Connection
    engine: Engine
    path: Path
    stems: Stems
    projects: dict[str, int] = field(default_factory=dict[str, int])
    sessions: dict[tuple[str, int], int] = field(default_factory=dict[tuple[str, int], int])
    ids_of_second: tuple[str, set[str]] = field(default_factory=lambda: ("", set[str]()))

    frequencies: dict[str, int] = field(default_factory=dict[str, int])
    """In how many memories a stem stands, about; see `store.finding`."""
    frequencies_at: int = 0
    """The newest memory when they were counted."""

    def forget(self) -> None:
        """Forget what was remembered of a transaction that was rolled back, or when it has grown too much."""
        self.projects.clear()
        self.sessions.clear()
        self.ids_of_second = ("", set())


def project_row(store: Store, caller: Caller) -> int | None:
    """Return the row of *caller*'s project, or None when nothing was ever saved in it."""
    if caller.project is None:
        return GLOBAL_PROJECT
    root = caller.project.root
    if root not in store.projects:
        row = value(store.connection, "SELECT id FROM projects WHERE root = ?", (root,))
        if row is None:
            return None
        _remember(store, store.projects, root, row)
    return store.projects[root]


def ensure_project(store: Store, caller: Caller, now_ms: int) -> int:
    """Return the row of *caller*'s project, made if need be."""
    row = project_row(store, caller)
    if row is not None or caller.project is None:
        return row or GLOBAL_PROJECT
    store.connection.execute(
        "INSERT INTO projects (root, name, created_at) VALUES (?, ?, ?)",
        (caller.project.root, caller.project.name, now_ms),
    )
    return _remember(store, store.projects, caller.project.root, store.connection.last_insert_rowid())


def ensure_session(store: Store, caller: Caller, project: int, now_ms: int) -> int | None:
    """Return the row of *caller*'s session in *project*, made if need be; None when it has no session."""
    row = session_row(store, caller, project)
    if row is not None or caller.session is None:
        return row
    key = (caller.session.key, project)
    store.connection.execute(
        "INSERT INTO sessions (key, project_id, client, started_at) VALUES (?, ?, ?, ?)",
        (*key, caller.session.client, now_ms),
    )
    return _remember(store, store.sessions, key, store.connection.last_insert_rowid())


def session_row(store: Store, caller: Caller, project: int) -> int | None:
    """Return the row of *caller*'s session in *project*; None when it has none, or did nothing yet."""
    if caller.session is None:
        return None
    key = (caller.session.key, project)
    if key not in store.sessions:
        row = value(store.connection, "SELECT id FROM sessions WHERE key = ? AND project_id = ?", key)
        if row is None:
            return None
        _remember(store, store.sessions, key, row)
    return store.sessions[key]


def _remember(store: Store, table: dict[K, int], key: K, row: int) -> int:
    if len(table) >= REMEMBERED_MAX:
        store.forget()
    table[key] = row
    return row
