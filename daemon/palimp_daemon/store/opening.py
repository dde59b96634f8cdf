"""Open the store: connection, full-text engine, derived indexes."""

from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Final

import apsw

from palimp_daemon.runtime.sql import transaction
from palimp_daemon.search.engine import Engine, choose_engine, have_merged_in_steps, prepare_index
from palimp_daemon.search.fts4 import FTS4
from palimp_daemon.search.fts5 import FTS5
from palimp_daemon.search.stems import Stems
from palimp_daemon.store.checks.derived_indexes import SUBJECTS
from palimp_daemon.store.checks.rebuild import fill_next, is_filling
from palimp_daemon.store.checks.verify import examine
from palimp_daemon.store.derived_index import Filling
from palimp_daemon.store.integrity.commit_counter import HighWaterMark
from palimp_daemon.store.integrity.file_identity import place_of
from palimp_daemon.store.sqlite_connection import (
    StoreDamagedError,
    StoreUnavailableError,
    database_in_memory,
    explaining,
    is_backup,
    leave,
    open_database,
)
from palimp_daemon.store.store import Store, log_nothing, newest_memory
from palimp_daemon.store.tables.enforced_here import remind_of_foreign
from palimp_daemon.store.tables.memory_subjects import empty_subjects, note_subjects_kept, subjects_are_current_version
from palimp_daemon.store.tables.removed_code.hunk_index import prepare_changes
from palimp_daemon.store.tables.sessions.conversation_rows import keep_erased, knows_erased, prepare_conversations

ENGINES: Sequence[Engine] = (FTS5, FTS4)
"""Best first."""

EXAMINED_AT_START_BYTES: Final = 4 * 1024 * 1024
"""Largest database checked for integrity before serving: some 20 ms per megabyte."""

CHECKPOINT_PAGES: Final = 500
"""Pages of the conversations' write-ahead log, 2 MB, at which a commit checkpoints while questions wait. SQLite's 1,000
make them wait longer, but reading years of sessions a twentieth faster."""

SUBJECTS_AT_START: Final = 2_000
"""Memories whose subjects are extracted at opening: a third of a second, once per version."""


def open_store(path: Path, wanted_engine: str, log: Callable[..., None] = log_nothing) -> Store:
    """Open the database with *wanted_engine* (`auto`, `fts5`, `fts4`); *log* gets events.

    A small database's indexes are checked and rebuilt here.

    Raises:
        StoreUnavailableError: see `open_database`; or SQLite lacks the engine, or the disk has no room for the index.
        StoreDamagedError: see `open_database`; or the examination of a small database found something.
    """
    with explaining(path):
        is_put_there = is_backup(path)
    if is_put_there:
        log("backup_put_in_place", path=str(path))
    connection = open_database(path)
    try:
        with explaining(path):
            store = _prepare(connection, path, choose_engine(connection, wanted_engine, ENGINES), log)
            if count := remind_of_foreign(store, is_put_there=is_put_there):
                log("rules_enforced_elsewhere", path=str(path), now_reminding=count)
            return store
    except LookupError as error:
        leave(connection)
        raise StoreUnavailableError(str(error), "Set search.engine to auto.") from None
    except BaseException:
        leave(connection)
        raise


def open_conversations(path: Path, wanted_engine: str, log: Callable[..., None] = log_nothing) -> Store:
    """Open the conversations' database, as `open_store`.

    A damaged one is put aside for an empty one with its list of erased turns. Commits are not fsynced: all can be read
    again.

    Raises:
        StoreUnavailableError: see `open_store`.
    """
    mark = HighWaterMark(path).path  # it knows of commits that the disk may not have
    with explaining(path):
        mark.unlink(missing_ok=True)
        try:
            store = open_store(path, wanted_engine, log)
        except StoreDamagedError as error:
            log("conversations_put_aside", why=error.text)
            put_conversations_aside(path)
            mark.unlink(missing_ok=True)
            store = open_store(path, wanted_engine, log)
        try:
            prepare_conversations(store.connection)
            if not knows_erased(store):
                keep_erased(store, _erased_in(put_aside_path(path)))
            store.connection.execute("PRAGMA synchronous = NORMAL")
            store.connection.execute(f"PRAGMA wal_autocheckpoint = {CHECKPOINT_PAGES}")
            have_merged_in_steps(store.connection, store.engine)
        except BaseException:
            leave(store.connection)
            raise
    return store


def open_in_memory(wanted_engine: str) -> Store:
    """Open a store in memory, for an index of others' data.

    Raises:
        LookupError: this SQLite lacks the engine.
    """
    connection = database_in_memory()
    engine = choose_engine(connection, wanted_engine, ENGINES)
    prepare_index(connection, engine)
    return Store(connection, engine, Path(":memory:"), Stems(partial(engine.tokenize, connection), engine.opening))


def _prepare_subjects(store: Store) -> None:
    if subjects_are_current_version(store):
        return
    has_memories = store.value("SELECT 1 FROM memories WHERE kind NOT IN ('conversation', 'commit') LIMIT 1")
    with transaction(store.connection):
        empty_subjects(store)
        if has_memories is None:
            note_subjects_kept(store)
            return
    store.state(Filling).fill_anew(SUBJECTS)
    if newest_memory(store) <= SUBJECTS_AT_START:
        while is_filling(store):
            fill_next(store)


def put_conversations_aside(path: Path) -> None:
    """Rename the database and its WAL, over a former one put aside."""
    aside = put_aside_path(path)
    for suffix in ("", "-wal"):
        there, then = path.with_name(f"{path.name}{suffix}"), aside.with_name(f"{aside.name}{suffix}")
        if there.exists():
            there.replace(then)
        else:
            then.unlink(missing_ok=True)


def put_aside_path(path: Path) -> Path:
    """Return the path for a damaged database."""
    return path.with_suffix(".damaged")


def _erased_in(path: Path) -> list[str]:
    erased: list[str] = []
    if not path.exists():
        return erased
    with suppress(apsw.Error), closing(apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READWRITE)) as connection:
        for (each,) in connection.execute("SELECT CAST(id AS BLOB) FROM erased_turns"):
            erased.append(bytes(each).decode("ascii", "replace"))
    return erased


def _prepare(connection: apsw.Connection, path: Path, engine: Engine, log: Callable[..., None]) -> Store:
    prepare_index(connection, engine)
    stems = Stems(partial(engine.tokenize, connection), engine.opening)
    is_small = path.stat().st_size <= EXAMINED_AT_START_BYTES
    store = Store(connection, engine, path, stems, is_examined=is_small, place=place_of(path), log=log)
    prepare_changes(store)
    _prepare_subjects(store)
    if store.is_examined and (what := examine(store)):
        raise StoreDamagedError(path, f"is damaged ({what})")
    return store
