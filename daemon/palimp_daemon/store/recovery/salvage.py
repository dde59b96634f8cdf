"""Copy the readable rows of a damaged database, opened read-only, into a new one of the same schema.

Tables are copied from both ends up to the damage; other rows are sought on every page. References to missing rows are
redirected or dropped.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import apsw

from palimp_daemon.runtime.sql import rows, value
from palimp_daemon.search.minhash import minhash_signature, words_of
from palimp_daemon.store.integrity.checksums import SUMMED, memory_sum
from palimp_daemon.store.recovery.orphan_rows import Orphans, Sums, adopt, all_pages
from palimp_daemon.store.sqlite_connection import leave, migrations, new_database, schema_version

DERIVED: Final = frozenset(
    {
        "changes_index",
        "documents",
        "fingerprints",
        "ledger",
        "live_lines",
        "other_vectors",
        "search_index",
        "sections",
        "memory_subjects",
        "memory_entities",
        "subjects_index",
        "sums",
        "tree_files",
        "trees",
        "vector_kinds",
        "vector_model",
        "vectors",
    }
)
"""Tables rebuilt later; and the ledger, a database of its own."""

RECOVERED: Final = "palimp:recovered/"
"""Prefix, before a number, in place of an unknown folder."""

READ_ERRORS: Final = (apsw.CorruptError, apsw.IOError, apsw.NotADBError, apsw.SQLError, OverflowError)


@dataclass
class Salvaged:
    """Copied rows by table; ids of altered memories; number of missing ones.

    *is_compared*: all sums were readable.
    """

    copied: dict[str, int] = field(default_factory=dict[str, int])
    altered: list[str] = field(default_factory=list[str])
    gone: int = 0
    is_compared: bool = True
    nameless: list[str] = field(default_factory=list[str])
    """Present names of projects whose folder is unknown."""


def salvage(damaged: Path, target: Path, report: Callable[[str, int], None]) -> Salvaged:
    """Copy the readable rows of *damaged* into a new database; *report* gets each table's count.

    The WAL of an empty or missing database may still have rows.

    Raises:
        apsw.Error: it has no memories, or none can be read, or *target* cannot be written.
        OSError: there is no room for a copy of it, which is made where SQLite does not come to all rows.
    """
    old = _open(damaged)
    try:
        schema = None if old is None else _readable_schema(old)
        with closing(new_database(target, schema or migrations()[-1].number)) as new:
            return _fill(damaged, old if schema else None, new, report)
    finally:
        if old is not None:
            leave(old)


def _open(damaged: Path) -> apsw.Connection | None:
    """Open without a checkpoint; None for an empty file, whose WAL SQLite would remove."""
    if not (damaged.exists() and damaged.stat().st_size):
        return None
    old = apsw.Connection(str(damaged), flags=apsw.SQLITE_OPEN_READWRITE)
    old.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
    rows(old, "PRAGMA locking_mode = EXCLUSIVE")
    return old


def _readable_schema(old: apsw.Connection) -> int | None:
    try:
        schema = schema_version(old)
        is_ours = bool(value(old, "SELECT count(*) FROM sqlite_schema WHERE name = 'memories'"))
    except READ_ERRORS:
        return None
    if not is_ours:
        raise apsw.CorruptError("it has no memories")
    return schema


def _fill(
    damaged: Path, old: apsw.Connection | None, new: apsw.Connection, report: Callable[[str, int], None]
) -> Salvaged:
    rows(new, "PRAGMA foreign_keys = OFF")
    new.execute("BEGIN IMMEDIATE")
    tables = {
        table: "WITHOUT ROWID" not in form
        for table, form in rows(
            new, "SELECT name, sql FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        )
        if table not in DERIVED
    }
    whole = {table for table in tables if old and _copy_table(old, new, table, is_numbered=tables[table])}
    sums, has_all_sums = _sums(old)
    if sums.keys() - {seq for (seq,) in rows(new, "SELECT seq FROM memories")}:
        whole.discard("memories")  # a page above its rows may have lost some of them without a word
    if lost := {table for table, is_numbered in tables.items() if is_numbered} - whole:
        scratch = damaged.with_suffix(".pages")
        with all_pages(damaged, scratch, has_schema=old is not None) as pages:
            orphans = Orphans(pages, new)
            if not has_all_sums:
                for number, found in orphans.sums().items():
                    sums.setdefault(number, set()).update(found)
            adopt(orphans, new, lost, sums, has_all_sums=has_all_sums)
    _keep_numbers(old, new, sums)
    _mend_references(new)
    _add_missing_signatures(new)
    copied = {table: value(new, f"SELECT count(*) FROM {table}") for table in tables}
    done = Salvaged(copied, is_compared=has_all_sums)
    if old is None and not done.copied["memories"]:
        raise apsw.CorruptError("no page of it holds a memory")
    for table, count in done.copied.items():
        report(table, count)
    _compare(new, sums, done)
    nameless = rows(new, "SELECT root FROM projects WHERE substr(root, 1, ?) = ?", (len(RECOVERED), RECOVERED))
    done.nameless = [root for (root,) in nameless]
    new.execute("COMMIT")
    return done


def _sums(old: apsw.Connection | None) -> tuple[Sums, bool]:
    found: Sums = {}
    for row in [None] if old is None else _readable(old, "SELECT seq, sum FROM sums"):
        if row is None:
            return found, False
        found[row[0]] = {row[1]}
    return found, True


def _copy_table(old: apsw.Connection, new: apsw.Connection, table: str, *, is_numbered: bool) -> bool:
    described = rows(new, f"PRAGMA table_info({table})")
    columns = [name for _, name, *_ in described]
    is_text = [kind == "TEXT" for _, _, kind, *_ in described]
    key = [name for _, name, _, _, _, place in sorted(described, key=lambda each: each[5]) if place]
    # A text with a flipped bit may be no text: as bytes it can be read all the same.
    read = ", ".join(f"CAST({name} AS BLOB)" if text else name for name, text in zip(columns, is_text, strict=True))
    keys = ["rowid"] if is_numbered else key
    insert = f"INSERT OR IGNORE INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"

    def keep(row: tuple[Any, ...]) -> None:
        values = [
            cell.decode("utf-8", "replace") if text and isinstance(cell, bytes) else cell
            for cell, text in zip(row, is_text, strict=True)
        ]
        try:
            new.execute(insert, values)
        except (apsw.ConstraintError, apsw.MismatchError):
            return  # a row of other types, or without what every row has: not one of ours any more

    statement = f"SELECT {read} FROM {table} NOT INDEXED ORDER BY "
    if _keep_readable(_readable(old, statement + ", ".join(keys)), keep):
        return True
    _keep_readable(_readable(old, statement + ", ".join(f"{name} DESC" for name in keys)), keep)
    return False


def _readable(old: apsw.Connection, statement: str) -> Iterator[tuple[Any, ...] | None]:
    try:
        yield from old.execute(statement)
    except READ_ERRORS:
        yield None


def _keep_readable(found: Iterator[tuple[Any, ...] | None], keep: Callable[[tuple[Any, ...]], None]) -> bool:
    for row in found:
        if row is None:
            return False
        keep(row)
    return True


def _keep_numbers(old: apsw.Connection | None, new: apsw.Connection, sums: Sums) -> None:
    given = [("memories", max(sums, default=0))]
    given += [row for row in _readable(old, "SELECT name, seq FROM sqlite_sequence") if row] if old else []
    for name, number in given:
        new.execute("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (number, name))


def _mend_references(new: apsw.Connection) -> None:
    for table, parent, place in sorted({(row[0], row[2], row[3]) for row in rows(new, "PRAGMA foreign_key_check")}):
        [[column, target]] = [
            (each[3], each[4]) for each in rows(new, f"PRAGMA foreign_key_list({table})") if each[0] == place
        ]
        lost = f"{column} NOT IN (SELECT {target} FROM {parent})"
        nullable = not value(new, f"SELECT \"notnull\" FROM pragma_table_info('{table}') WHERE name = '{column}'")
        if parent == "projects":
            new.execute(
                "INSERT OR IGNORE INTO projects (id, root, name, created_at) SELECT DISTINCT"
                f" {column}, '{RECOVERED}' || {column}, 'recovered', 0 FROM {table} WHERE {lost}"
            )
        elif nullable:
            new.execute(f"UPDATE {table} SET {column} = NULL WHERE {lost}")
        else:
            new.execute(f"DELETE FROM {table} WHERE {lost}")


def _add_missing_signatures(new: apsw.Connection) -> None:
    missing = rows(new, "SELECT seq, content FROM memories WHERE seq NOT IN (SELECT seq FROM sketches)")
    for seq, content in missing:
        for each in minhash_signature(words_of(content)):
            new.execute("INSERT OR IGNORE INTO sketches (hash, seq) VALUES (?, ?)", (each, seq))


def _compare(new: apsw.Connection, sums: Sums, done: Salvaged) -> None:
    kept = {row[0]: row[1:] for row in rows(new, f"SELECT seq, {', '.join(SUMMED)} FROM memories")}
    done.gone = len(sums.keys() - kept.keys())
    done.altered = [kept[seq][0] for seq in sums if seq in kept and memory_sum(*kept[seq]) not in sums[seq]]
