"""Rebuild an index that does not match its table, at once at opening, in slices while serving.

Emptying deletes the note that it is complete, so that the next start finishes an interrupted rebuild.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Final

import apsw

from palimp_daemon.runtime.sql import transaction
from palimp_daemon.store.checks.derived_indexes import ALL_DERIVED, has_undefined_index, is_of_an_index
from palimp_daemon.store.derived_index import Derived, Filling
from palimp_daemon.store.store import Store
from palimp_protocol.env import clock
from palimp_protocol.messages.daemon_messages import Rebuilt

ROWS_AT_ONCE: Final = 200
"""Rows indexed in one transaction: some 20 ms, while others wait."""

KEPT_MAX: Final = 20
"""Rebuilds that are remembered."""


def begin_rebuild(store: Store, derived: Derived, why: str) -> None:
    """Empty *derived*, note *why*, and queue it for filling. Not inside a transaction.

    Raises:
        apsw.Error: the disk is full or fails, or the file itself is damaged; the index is as it was.
    """
    with _transaction(store):
        derived.empty(store)
        store.state(Filling).fill_anew(derived)
        note = "INSERT INTO rebuilds (at, name, why) VALUES (?, ?, ?)"
        store.execute(note, (clock.now_ms(), derived.name, why))
        old = "DELETE FROM rebuilds WHERE id <= (SELECT max(id) FROM rebuilds) - ?"
        store.execute(old, (KEPT_MAX,))
    store.forget_searches()
    store.log("index_rebuilt", index=derived.name, why=why)


def is_filling(store: Store) -> bool:
    """Tell whether `fill_next` has work."""
    return any(not each.is_stuck for each in store.state(Filling).indexes)


def fill_next(store: Store) -> None:
    """Fill the next slice of the first queued index; without room, stop until the next start.

    Raises:
        apsw.IOError: the disk did not confirm the write; the process must exit.
    """
    current = next(each for each in store.state(Filling).indexes if not each.is_stuck)
    try:
        with _transaction(store):
            below = current.derived.fill(store, current.below, ROWS_AT_ONCE)
            if below is None:
                current.derived.finish(store)
    except apsw.Error as error:
        if getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_FSYNC:
            raise
        current.give_up()
        store.log("index_not_built", index=current.derived.name, why=str(error))
        return
    if below is None:
        store.state(Filling).indexes.remove(current)
        store.log("index_whole", index=current.derived.name)
    else:
        current.below = below


def rebuild_now(store: Store, derived: Derived, why: str) -> None:
    """Rebuild the index *derived* at once.

    Raises:
        apsw.Error: see `begin_rebuild`.
    """
    begin_rebuild(store, derived, why)
    while is_filling(store):
        fill_next(store)


def mend_indexes(store: Store, error: apsw.Error) -> bool:
    """Queue rebuilds of the indexes that *error* may concern; False if none."""
    is_undefined = isinstance(error, apsw.SQLError) and has_undefined_index(store.connection)
    if not (is_undefined or is_of_an_index(error)):
        return False
    waiting = {each.derived for each in store.state(Filling).indexes}
    broken = [(each, _problem(store, each)) for each in ALL_DERIVED if each not in waiting]
    found = [(each, why) for each, why in broken if why]
    for derived, why in found:
        begin_rebuild(store, derived, why)
    return bool(found)


def _problem(store: Store, derived: Derived) -> str:
    return derived.structure_problem(store.connection) or derived.problem(store, derived.some_rows(store, ROWS_AT_ONCE))


def notes_of_rebuilding(store: Store, derived: Derived) -> list[str]:
    """Return notes for searches by *derived* during a rebuild."""
    notes: list[str] = []
    for each in store.state(Filling).indexes:
        if each.derived is derived:
            table, key = derived.source
            left = store.value(f"SELECT count(*) FROM {table} WHERE {key} < ?", (each.below,))
            notes.append(
                f"The index of {derived.name} is being built anew; {left:,} older rows are not in it yet, so"
                " this answer may lack some. Ask again in a moment."
            )
    return notes


def rebuilds(store: Store) -> list[Rebuilt]:
    """Return the noted rebuilds, newest first."""
    running = {each.derived.name for each in store.state(Filling).indexes}
    found: Sequence[tuple[int, str, str]] = store.rows("SELECT at, name, why FROM rebuilds ORDER BY id DESC")
    told: list[Rebuilt] = []
    for at, name, why in found:
        told.append(Rebuilt(at=at, index=name, why=why, is_running=name in running))
        running.discard(name)
    return told


@contextmanager
def _transaction(store: Store) -> Generator[None, None, None]:
    try:
        with transaction(store.connection):
            yield
    except BaseException:
        store.forget()
        raise
