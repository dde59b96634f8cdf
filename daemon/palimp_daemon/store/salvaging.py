"""Taking what can be read out of a damaged database, into a new one.

Theory
------
A new database of the same schema is made, and every table that is not derived is copied into it, row by row: from its
beginning to where it cannot be read, from its end back to there, and, where rows are numbered, each number in between.
What is derived (index, sums, fingerprints, vectors, the lines of the trees) is made anew from what was copied. Rows
that belong to a row that is gone are given another or let go of, so that none is hidden by a join. The damaged file is
read only; its log is read with it and not moved into it.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import apsw

from palimp_daemon.sql import rows, value
from palimp_daemon.store.connection import leave, new_database, schema_version
from palimp_daemon.store.sums import SUMMED, memory_sum

DERIVED: Final = frozenset(
    {
        "changes_index",
        "documents",
        "fingerprints",
        "ledger",
        "live_lines",
        "search_index",
        "sections",
        "sums",
        "tree_files",
        "trees",
        "vector_model",
        "vectors",
    }
)
"""Tables that are made anew, at the next start or in the background; and the ledger: it is another database."""

PROBED_MAX: Final = 1_000_000
"""Numbers that are tried one by one where a table cannot be read on."""

READ_ERRORS: Final = (apsw.CorruptError, apsw.IOError, apsw.NotADBError, apsw.SQLError, OverflowError)


@dataclass
class Salvaged:
    """What was copied: rows of each table; memories that are not what was saved, by id; and how many are gone."""

    copied: dict[str, int] = field(default_factory=dict[str, int])
    altered: list[str] = field(default_factory=list[str])
    gone: int = 0


def salvage(damaged: Path, target: Path, report: Callable[[str, int], None]) -> Salvaged:
    """Copy what can be read of the database *damaged* into a new one at *target*; *report* is told of each table.

    Raises:
        apsw.Error: not even its schema can be read, or *target* cannot be written.
    """
    if not damaged.stat().st_size:
        raise apsw.CorruptError("it is empty")  # and would lose its log if it were opened
    old = apsw.Connection(str(damaged), flags=apsw.SQLITE_OPEN_READWRITE)
    try:
        old.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
        rows(old, "PRAGMA locking_mode = EXCLUSIVE")
        schema = schema_version(old)
        if not value(old, "SELECT count(*) FROM sqlite_schema WHERE name = 'memories'"):
            raise apsw.CorruptError("it has no memories")
        new = new_database(target, schema)
        try:
            return _copied(old, new, report)
        finally:
            new.close()
    finally:
        leave(old)


def _copied(old: apsw.Connection, new: apsw.Connection, report: Callable[[str, int], None]) -> Salvaged:
    done = Salvaged()
    rows(new, "PRAGMA foreign_keys = OFF")
    new.execute("BEGIN IMMEDIATE")
    for table, form in rows(
        new, "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    ):
        if table not in DERIVED:
            done.copied[table] = _copy_table(old, new, table, is_numbered="WITHOUT ROWID" not in form)
            report(table, done.copied[table])
    _keep_numbers(old, new)
    _mend_references(new)
    _compare(old, new, done)
    new.execute("COMMIT")
    return done


def _copy_table(old: apsw.Connection, new: apsw.Connection, table: str, *, is_numbered: bool) -> int:
    """Copy the rows of *table* that can be read, and return how many those are."""
    described = rows(new, f"PRAGMA table_info({table})")
    columns = [name for _, name, *_ in described]
    is_text = [kind == "TEXT" for _, _, kind, *_ in described]
    key = [name for _, name, _, _, _, place in sorted(described, key=lambda each: each[5]) if place]
    # A text with a flipped bit may be no text: as bytes it can be read all the same.
    read = ", ".join(f"CAST({name} AS BLOB)" if text else name for name, text in zip(columns, is_text, strict=True))
    keys = ["rowid"] if is_numbered else key
    down = ", ".join(f"{name} DESC" for name in keys)
    rowid = "rowid" if is_numbered else "NULL"
    insert = f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"

    def keep(row: tuple[Any, ...]) -> None:
        values = [
            cell.decode("utf-8", "replace") if text and isinstance(cell, bytes) else cell
            for cell, text in zip(row[1:], is_text, strict=True)
        ]
        try:
            new.execute(insert, values)
        except (apsw.ConstraintError, apsw.MismatchError):
            return  # a row of other types, or without what every row has: not one of ours any more

    low, is_whole = _kept(
        _readable(old, f"SELECT {rowid}, {read} FROM {table} NOT INDEXED ORDER BY {', '.join(keys)}"), keep
    )
    if is_whole:
        return value(new, f"SELECT count(*) FROM {table}")
    high, _ = _kept(_readable(old, f"SELECT {rowid}, {read} FROM {table} NOT INDEXED ORDER BY {down}"), keep)
    if is_numbered:
        first, last = (low or 0) + 1, high or _newest(old, table)
        for number in range(first, min(last, first + PROBED_MAX)):
            _kept(_readable(old, f"SELECT {rowid}, {read} FROM {table} NOT INDEXED WHERE rowid = {number}"), keep)
    return value(new, f"SELECT count(*) FROM {table}")


def _readable(old: apsw.Connection, statement: str) -> Iterator[tuple[Any, ...] | None]:
    """Yield the rows of *statement*, and None where it cannot be read on."""
    try:
        yield from old.execute(statement)
    except READ_ERRORS:
        yield None


def _kept(found: Iterator[tuple[Any, ...] | None], keep: Callable[[tuple[Any, ...]], None]) -> tuple[int | None, bool]:
    """Keep the rows *found*; return the number of the last, and whether that was all."""
    last: int | None = None
    for row in found:
        if row is None:
            return last, False
        last = row[0]
        keep(row)
    return last, True


def _newest(old: apsw.Connection, table: str) -> int:
    """Return a number that no row of *table* is over, as far as can be known."""
    try:
        known: int | None = value(old, "SELECT seq FROM sqlite_sequence WHERE name = ?", (table,))
    except READ_ERRORS:
        known = None
    return (known or PROBED_MAX) + 1


def _keep_numbers(old: apsw.Connection, new: apsw.Connection) -> None:
    """See that no number is given out again that a lost row had."""
    try:
        given = rows(old, "SELECT name, seq FROM sqlite_sequence")
    except READ_ERRORS:
        return
    for name, number in given:
        new.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (number, name))


def _mend_references(new: apsw.Connection) -> None:
    """Give rows whose project is gone another, and let go of what belongs to other rows that are gone."""
    for table, parent, place in sorted({(row[0], row[2], row[3]) for row in rows(new, "PRAGMA foreign_key_check")}):
        [[column, target]] = [
            (each[3], each[4]) for each in rows(new, f"PRAGMA foreign_key_list({table})") if each[0] == place
        ]
        lost = f"{column} NOT IN (SELECT {target} FROM {parent})"
        nullable = not value(new, f"SELECT \"notnull\" FROM pragma_table_info('{table}') WHERE name = '{column}'")
        if parent == "projects":
            new.execute(
                "INSERT OR IGNORE INTO projects (id, root, name, created_at) SELECT DISTINCT"
                f" {column}, 'palimp:recovered/' || {column}, 'recovered', 0 FROM {table} WHERE {lost}"
            )
        elif nullable:
            new.execute(f"UPDATE {table} SET {column} = NULL WHERE {lost}")
        else:
            new.execute(f"DELETE FROM {table} WHERE {lost}")


def _compare(old: apsw.Connection, new: apsw.Connection, done: Salvaged) -> None:
    """Say in *done* which memories are not what was saved, as far as the old sums can be read."""
    kept = {row[0]: row[1:] for row in rows(new, f"SELECT seq, {', '.join(SUMMED)} FROM memories")}
    sums = [row for row in _readable(old, "SELECT seq, sum FROM sums") if row is not None]
    done.gone = sum(seq not in kept for seq, _ in sums)
    done.altered = [kept[seq][0] for seq, known in sums if seq in kept and memory_sum(*kept[seq]) != known]
