"""The store: a connection with its caches. Only the store thread may use it."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final, TypeVar

import apsw

from palimp_clients.dialects import CLIENTS
from palimp_daemon.runtime.sql import rows, value
from palimp_daemon.search.engine import Engine
from palimp_daemon.search.stems import Stems
from palimp_daemon.store.ids import IdsOfSecond
from palimp_daemon.store.integrity.ballast import Ballast
from palimp_daemon.store.integrity.commit_counter import CommitCount, HighWaterMark, count_commit
from palimp_daemon.store.integrity.file_identity import Place
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.caller import Caller

REMEMBERED_MAX: Final = 256
"""Projects, and sessions, cached, the newest: a kilobyte each. Users have tens, a loaded day 200."""

K = TypeVar("K")
S = TypeVar("S", bound="StoreState")
T = TypeVar("T")

COMMAND_LINE: Final = ("", "palimp")
"""Clients of sessions known only from commands."""


def log_nothing(event: str, **fields: object) -> None:
    """Discard log events."""


GLOBAL_PROJECT = 0
"""The global scope's row of `projects`."""


class StoreState:
    """A cache, or unfinished work, of an open store; one of each subclass."""

    def forget_transaction(self) -> None:
        """Forget knowledge from a rolled-back transaction."""

    def forget_searches(self) -> None:
        """Forget knowledge of the search index, which is rebuilt."""


@dataclass
class Store:
    """An open database with caches; call `forget` after a rollback."""

    connection: apsw.Connection
    engine: Engine
    path: Path
    stems: Stems
    projects: dict[str, int] = field(default_factory=dict[str, int])
    first_commits: dict[str, Collection[str]] = field(default_factory=dict[str, Collection[str]])
    """By folder without saved memories, its repository's first commits."""
    sessions: dict[tuple[str, int, str], int] = field(default_factory=dict[tuple[str, int, str], int])
    ids_of_second: IdsOfSecond | None = None
    ledger: CommitCount | None = None

    is_examined: bool = False
    """Whether it was completely examined when opened."""
    damage: PalimpError | None = None
    """Damage found since; then nothing more is served."""
    place: Place | None = None
    """Device and inode of the database file at opening; None: not looked up."""
    lost: PalimpError | None = None
    """Set once the file is missing; then nothing more is acknowledged."""
    log: Callable[..., None] = log_nothing
    """Called in the store's thread with an event and its fields."""

    _states: dict[type[StoreState], StoreState] = field(default_factory=dict[type[StoreState], StoreState])

    def state(self, of: type[S]) -> S:
        """Return the store's instance of a state class, made on demand."""
        state = self._states.get(of)
        if not isinstance(state, of):
            state = self._states[of] = of()
        return state

    @cached_property
    def execute(self) -> "Callable[..., apsw.Cursor]":
        """The connection's own."""
        return self.connection.execute

    def rows(self, statement: str, values: "Sequence[apsw.SQLiteValue]" = ()) -> list[Any]:
        """Return all rows as tuples (`runtime.sql.rows`)."""
        return rows(self.connection, statement, values)

    def value(self, statement: str, values: "Sequence[apsw.SQLiteValue]" = ()) -> Any:
        """Return the first column of the first row, or None."""
        return value(self.connection, statement, values)

    def column(self, statement: str, values: "Sequence[apsw.SQLiteValue]" = ()) -> list[Any]:
        """Return the first column of all rows."""
        return [row[0] for row in rows(self.connection, statement, values)]

    def records(self, of: Callable[..., T], statement: str, values: "Sequence[apsw.SQLiteValue]" = ()) -> list[T]:
        """Return all rows, each passed to *of*."""
        return [of(*row) for row in rows(self.connection, statement, values)]

    def record(self, of: Callable[..., T], statement: str, values: "Sequence[apsw.SQLiteValue]" = ()) -> T | None:
        """Return the first row passed to *of*; None without rows."""
        found = rows(self.connection, statement, values)
        return of(*found[0]) if found else None

    def insert(self, into: str, values: "Sequence[apsw.SQLiteValue]", or_: str = "ABORT") -> int:
        """Insert a row *into* a table (name and columns); return its id."""
        places = ", ".join("?" * len(values))
        self.execute(f"INSERT OR {or_} INTO {into} VALUES ({places})", tuple(values))
        return self.connection.last_insert_rowid()

    @cached_property
    def high_water_mark(self) -> HighWaterMark:
        """The file with the required commit count."""
        return HighWaterMark(self.path)

    @cached_property
    def ballast(self) -> Ballast:
        """Room reserved for a full disk."""
        return Ballast(self.path)

    def count_commit(self) -> CommitCount:
        """Count a group of writes, inside its transaction."""
        self.ledger = count_commit(self.connection, self.ledger)
        return self.ledger

    def forget(self) -> None:
        """Forget knowledge from a rolled-back transaction."""
        self.projects.clear()
        self.sessions.clear()
        self.ids_of_second = None
        self.ledger = None
        for state in self._states.values():
            state.forget_transaction()

    def forget_searches(self) -> None:
        """Forget knowledge of an index that is rebuilt."""
        for state in self._states.values():
            state.forget_searches()

    def forget_index(self) -> None:
        """Have SQLite forget the index after a write that the disk refused.

        Else FTS5 stores zero words (fts5StorageLoadTotals in SQLite 3.53), and nothing is found.
        """
        self.connection.execute("PRAGMA writable_schema = RESET").fetchall()


def newest_memory(store: Store) -> int:
    """Return the newest memory's number; 0 without any."""
    return store.value("SELECT max(seq) FROM memories") or 0


def has_no_memories(store: Store) -> bool:
    """Tell whether there is no memory, not even a purged one."""
    return not store.value("SELECT EXISTS (SELECT 1 FROM memories)")


_PROJECT_OF: Final = (
    "SELECT coalesce((SELECT project_id FROM links WHERE root = ? AND state = 'clone'),"
    " (SELECT id FROM projects WHERE root = ?))"
)
"""A folder's project: the linked one, or its own."""


def scope_rows(store: "Store", caller: Caller, scope: str) -> list[int]:
    """Return the rows of `projects` covered by *scope*; never another project."""
    own = project_row(store, caller)
    both = [own, GLOBAL_PROJECT]
    wanted = {"project": [own], "global": [GLOBAL_PROJECT], "all": both, "mine": both, "team": [own]}[scope]
    return sorted({row for row in wanted if row is not None})


def project_row(store: Store, caller: Caller) -> int | None:
    """Return the caller's project; None before its first save."""
    if caller.project is None:
        return GLOBAL_PROJECT
    root = caller.project.root
    if root not in store.projects:
        row = store.value(_PROJECT_OF, (root, root))
        if row is None:
            return None
        _remember(store.projects, root, row)
    return store.projects[root]


def ensure_project(store: Store, caller: Caller, now_ms: int) -> int:
    """Return the caller's project, made if need be."""
    row = project_row(store, caller)
    if row is not None or caller.project is None:
        return row or GLOBAL_PROJECT
    project = store.insert("projects (root, name, created_at)", (caller.project.root, caller.project.name, now_ms))
    for sha in store.first_commits.get(caller.project.root, ()):
        store.insert("first_commits", (project, sha))
    return _remember(store.projects, caller.project.root, project)


def ensure_session(store: Store, caller: Caller, project: int, now_ms: int) -> int | None:
    """Return the caller's session, made if need be; None without one."""
    if caller.session is None:
        return None
    key, client = caller.session.key, caller.session.client
    known = store.sessions.get((key, project, client))
    if known is not None:
        return known
    row = session_row(store, caller, project)
    if row is None:
        row = store.insert("sessions (key, project_id, client, started_at)", (key, project, client, now_ms))
    elif _rank(client) > _rank(store.value("SELECT client FROM sessions WHERE id = ?", (row,))):
        store.execute("UPDATE sessions SET client = ? WHERE id = ?", (client, row))
    return _remember(store.sessions, (key, project, client), row)


def _rank(client: str) -> int:
    return 0 if client in COMMAND_LINE else 2 if client in CLIENTS else 1


def session_row(store: Store, caller: Caller, project: int) -> int | None:
    """Return the caller's session; None without one, or before its first act."""
    if caller.session is None:
        return None
    key = (caller.session.key, project)
    known = store.sessions.get((*key, caller.session.client))
    return known or store.value("SELECT id FROM sessions WHERE key = ? AND project_id = ?", key)


def remember_first_commits(store: Store, root: str, commits: Collection[str]) -> None:
    """Remember a repository's first commits until its first save."""
    _remember(store.first_commits, root, commits)


def _remember(table: dict[K, T], key: K, row: T) -> T:
    if len(table) >= REMEMBERED_MAX:
        del table[next(iter(table))]  # the oldest
    table[key] = row
    return row
