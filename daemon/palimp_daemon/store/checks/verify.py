"""Check structure, memories' checksums, and derived indexes.

A mismatch of the first two is damage. Derived indexes are rebuilt, so `integrity_check`'s lines on full-text tables are
ignored.
"""

import re
from collections.abc import Callable, Collection, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

import apsw

from palimp_daemon.runtime.sql import rows, value
from palimp_daemon.search.engine import Engine
from palimp_daemon.search.stems import Stems
from palimp_daemon.store.checks.derived_indexes import ALL_DERIVED, is_of_an_index
from palimp_daemon.store.checks.rebuild import rebuild_now
from palimp_daemon.store.derived_index import Derived
from palimp_daemon.store.integrity.checksums import altered_memories, register_sum
from palimp_daemon.store.store import Store

NAMED_MAX: Final = 5
"""Memories named in the sentence about them."""

FAULTS_MAX: Final = 20
"""Lines that `integrity_check` may report before it stops; each excluded full-text table has one."""

COMPARED_AT_START: Final = 50
"""Random rows of each table compared with the index at opening: 20 ms at most."""

PIECE: Final = 100
"""Memories, or index rows, read at once in a full comparison."""

LOOK_STEPS: Final = 20_000
"""SQLite steps, some milliseconds, between two checks for the examination's end."""

_OF_FULL_TEXT: Final = re.compile(r"fts\d|_fts(?![a-z0-9])", re.IGNORECASE)
"""Lines of `integrity_check` about any engine's full-text tables, not about pages, the free list and other tables."""

_NAMED: Final = re.compile(r"(?:memories|sections|hunks)_fts")

DERIVED_CHILDREN: Final = ("other_vectors", "sections", "tree_files", "vectors")
"""Derived tables whose rows belong to another row and are deleted without it."""


class Structure(NamedTuple):
    """SQLite's verdict: *damage*, a line for each malformed *full_text* table, *orphans* (table, rowid)."""

    damage: str
    full_text: dict[str, str]
    orphans: list[tuple[str, int]]


class Original(NamedTuple):
    """Engine and path of a copied database."""

    engine: Engine
    path: Path


class Findings(NamedTuple):
    """The damage; without any, orphans to delete, and indexes to rebuild with reasons."""

    damage: str
    orphans: Sequence[tuple[str, int]] = ()
    differing: Sequence[tuple[Derived, str]] = ()


def structure_of(connection: apsw.Connection) -> Structure:
    """Check pages, indexes and references.

    Raises:
        apsw.CorruptError, apsw.NotADBError: it cannot be read far enough.
    """
    lines = _integrity(connection)
    full_text = {match[0]: line for line in lines if _OF_FULL_TEXT.search(line) and (match := _NAMED.search(line))}
    if any(_OF_FULL_TEXT.search(line) and not _NAMED.search(line) for line in lines):
        said = {each.full_text: each.structure_problem(connection) for each in ALL_DERIVED}
        full_text |= {table: why for table, why in said.items() if why}
    wrong = [line for line in lines if line != "ok" and not _OF_FULL_TEXT.search(line)]
    lost = rows(connection, "PRAGMA foreign_key_check")
    wrong += [
        f"a row of {table} belongs to a row of {parent} that is gone"
        for table, _, parent, _ in lost
        if table not in DERIVED_CHILDREN
    ]
    orphans = [(table, rowid) for table, rowid, *_ in lost if table in DERIVED_CHILDREN]
    return Structure(wrong[0] if wrong else "", full_text, orphans)


def _integrity(connection: apsw.Connection) -> list[str]:
    try:
        found = rows(connection, f"PRAGMA integrity_check({FAULTS_MAX})")
    except apsw.SQLError:  # of a statement that is right: a full-text table has a part or a definition no more
        found = _integrity_by_table(connection)
    except apsw.CorruptError as error:
        if not is_of_an_index(error):
            raise
        found = _integrity_by_table(connection)
    return [line.replace("\n", " ") for (line,) in found]


def _integrity_by_table(connection: apsw.Connection) -> list[tuple[str]]:
    tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
    found: list[tuple[str]] = []
    for (table,) in rows(connection, tables):
        try:
            found += rows(connection, f"PRAGMA integrity_check({table})")
        except apsw.SQLError as error:
            found.append((f"{table} is not defined as it was: {error}",))
    return found


def memories_damage(connection: apsw.Connection, after: int, up_to: int) -> str:
    """Describe the damage of memories in (*after*, *up_to*]; empty for none."""
    try:
        altered = altered_memories(connection, after, up_to)
    except apsw.CorruptError as error:
        return f"a memory cannot be read: {error}"
    if not altered:
        return ""
    named = ", ".join(map(str, altered[:NAMED_MAX]))
    more = f" and {len(altered) - NAMED_MAX:,} more" if len(altered) > NAMED_MAX else ""
    return f"memory number {named}{more}: altered or gone"


def newest_number(connection: apsw.Connection) -> int:
    """Return the highest memory number in either table."""
    return value(
        connection, "SELECT max((SELECT coalesce(max(seq), 0) FROM memories), coalesce(max(seq), 0)) FROM sums"
    )


def examine(store: Store) -> str:
    """Return the damage; if it is empty, derived data was mended.

    Raises:
        apsw.Error: the disk is full or fails.
    """
    try:
        structure = structure_of(store.connection)
        what = structure.damage or memories_damage(store.connection, 0, newest_number(store.connection))
    except (apsw.CorruptError, apsw.NotADBError) as error:
        return str(error)
    if not what:
        mend_derived(store, structure)
    return what


def mend_derived(store: Store, structure: Structure) -> None:
    """Rebuild derived data that differs from its tables, which must be intact.

    Raises:
        apsw.Error: the disk is full or fails.
    """
    drop_orphans(store, structure.orphans)
    for each in ALL_DERIVED:
        why = structure.full_text.get(each.full_text) or each.problem(store, each.some_rows(store, COMPARED_AT_START))
        if why:
            rebuild_now(store, each, why)


def drop_orphans(store: Store, orphans: Sequence[tuple[str, int]]) -> None:
    """Delete those of *orphans* that still lack their row."""
    gone = 0
    for table in sorted({table for table, _ in orphans}):
        lost = {rowid for _, rowid, *_ in store.rows(f"PRAGMA foreign_key_check({table})")}
        for rowid in sorted(lost.intersection(rowid for named, rowid in orphans if named == table)):
            store.execute(f"DELETE FROM {table} WHERE rowid = ?", (rowid,))
            gone += 1
    if gone:
        store.log("orphans_deleted", rows=gone)


def findings(store: Store, is_over: Callable[[], bool], unfinished: Collection[Derived] = ()) -> Findings:
    """Check the whole database, read-only, except *unfinished* indexes.

    Raises:
        apsw.InterruptError: it *is_over* before its end.
        apsw.Error: the disk fails.
    """
    try:
        structure = structure_of(store.connection)
        what = structure.damage or _memories_damage(store, is_over)
        if what:
            return Findings(what)
        compared = [each for each in ALL_DERIVED if each not in unfinished]
        found = [(each, structure.full_text.get(each.full_text) or _problem(store, each, is_over)) for each in compared]
    except (apsw.CorruptError, apsw.NotADBError) as error:
        return Findings(str(error))
    return Findings("", structure.orphans, [(derived, why) for derived, why in found if why])


def findings_of_copy(
    copy: apsw.Connection,
    original: Original,
    is_over: Callable[[], bool],
    unfinished: Collection[Derived],
    rest: Callable[[], None],
) -> Findings:
    """Return the `findings` of a *copy*; one that cannot be prepared is damaged.

    *rest* is called after every PIECE, some ten milliseconds.

    Raises:
        apsw.InterruptError: it *is_over* before its end.
        apsw.Error: the disk fails.
    """
    copy.set_progress_handler(is_over, LOOK_STEPS)
    stems = Stems(partial(original.engine.tokenize, copy), original.engine.opening)
    try:
        register_sum(copy)
        original.engine.prepare(copy)
    except (apsw.CorruptError, apsw.NotADBError) as error:
        return Findings(str(error))

    def is_over_after_rest() -> bool:
        rest()
        return is_over()

    return findings(Store(copy, original.engine, original.path, stems), is_over_after_rest, unfinished)


def _memories_damage(store: Store, is_over: Callable[[], bool]) -> str:
    for after in range(0, newest_number(store.connection), PIECE):
        _go_on_unless(is_over)
        if what := memories_damage(store.connection, after, after + PIECE):
            return what
    return ""


def _problem(store: Store, derived: Derived, is_over: Callable[[], bool]) -> str:
    why, numbers = derived.problem(store), derived.next_rows(store, 0, PIECE)
    while numbers and not why:
        _go_on_unless(is_over)
        why, numbers = derived.content_problem(store, numbers), derived.next_rows(store, numbers[-1], PIECE)
    return why


def _go_on_unless(is_over: Callable[[], bool]) -> None:
    if is_over():
        raise apsw.InterruptError("The examination is over.")
