"""Recover rows on intact pages that SQLite cannot reach; each belongs to the one table with its column types.

Pages out of use may have older or erased rows, so memories with a known sum come first, others last, for the user to
check, or if all sums are readable, not at all.
"""

import mmap
import os
import shutil
from collections import defaultdict
from collections.abc import Collection, Generator, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Final, NamedTuple, cast

import apsw

from palimp_daemon.runtime.sql import rows
from palimp_daemon.store.integrity.checksums import SUMMED, memory_sum
from palimp_daemon.store.recovery.btree_pages import PAGE_BYTES, LeafRow, leaf_rows
from palimp_daemon.store.sqlite_connection import checkpoint

Sums = dict[int, set[int]]
"""By memory number, its known sums: several, if it was altered."""

LOST_AT_END_MAX: Final = 100_000
"""Memories that may be lost after the newest one found; higher numbers have no true sums."""

_HASH_MIN: Final = 2**32
"""Numbers from here on are hashes, but for one in four billion."""

_WAL_HEADER_BYTES: Final = 32
_FRAME_HEADER_BYTES: Final = 24
"""Bytes before each page in a WAL; after a transaction's last page, they hold the page count."""

_KINDS: Final[dict[str, tuple[type, ...]]] = {
    "INTEGER": (int,),
    "REAL": (float, int),
    "TEXT": (str,),
    "BLOB": (bytes,),
    "rowid": (),
}


class Columns(NamedTuple):
    """Column types of a table."""

    names: list[str]
    kinds: list[str]
    """Declared types; `rowid` for the row's number, which is null on a page."""
    nullable: list[bool]
    least: int
    """Fewest columns of a row: older rows lack those added later."""

    def fit(self, row: LeafRow) -> bool:
        """Tell whether *row* may be the table's."""
        count = len(row.cells)
        if not self.least <= count <= len(self.names):
            return False
        each = zip(row.cells, self.kinds[:count], self.nullable[:count], strict=True)
        return all(nullable if cell is None else isinstance(cell, _KINDS[kind]) for cell, kind, nullable in each)

    def values(self, row: LeafRow) -> "dict[str, apsw.SQLiteValue]":
        """Return the columns of *row* by name."""
        named = zip(self.names, self.kinds, row.cells, strict=False)
        return {name: row.number if kind == "rowid" else cell for name, kind, cell in named}


class Orphans:
    """Rows on all pages of a database of *new*'s schema."""

    def __init__(self, pages: mmap.mmap, new: apsw.Connection) -> None:
        self._pages = pages
        numbered = rows(new, "SELECT name FROM pragma_table_list WHERE type = 'table' AND NOT wr AND schema = 'main'")
        self._columns = {name: _columns(new, name) for (name,) in numbered if not name.startswith("sqlite_")}

    def of_tables(self, tables: Collection[str]) -> "Iterator[tuple[str, dict[str, apsw.SQLiteValue]]]":
        """Yield each row of *tables*: table, and values by column."""
        for row in leaf_rows(self._pages):
            found = [table for table, columns in self._columns.items() if columns.fit(row)]
            if len(found) == 1 and found[0] in tables:
                yield found[0], self._columns[found[0]].values(row)

    def sums(self) -> Sums:
        """Return the memories' sums.

        `live_lines` looks the same, but its numbers are hashes.
        """
        found: Sums = defaultdict(set)
        newest = 0
        for row in leaf_rows(self._pages):
            if self._columns["memories"].fit(row):
                newest = max(newest, row.number)
            elif self._columns["sums"].fit(row) and 0 < row.number < _HASH_MIN:
                found[row.number].add(cast("int", row.cells[1]))
        return {number: sums for number, sums in found.items() if number <= newest + LOST_AT_END_MAX}


def adopt(orphans: Orphans, new: apsw.Connection, tables: Collection[str], sums: Sums, *, has_all_sums: bool) -> None:
    """Insert rows of *tables* that *new* lacks; with *has_all_sums*, only memories with one."""
    if "memories" in tables:
        for _, values in orphans.of_tables(["memories"]):
            found = memory_sum(*(values.get(column) for column in SUMMED[:-1]), values.get("quote", ""))
            if found in sums.get(cast("int", values["seq"]), ()):
                _insert(new, "memories", values)
    for table, values in orphans.of_tables(tables):
        if table != "memories" or not has_all_sums or values["seq"] in sums:
            _insert(new, table, values)


@contextmanager
def all_pages(damaged: Path, scratch: Path, *, has_schema: bool) -> Generator[mmap.mmap]:
    """Yield the pages of *damaged* with its WAL, from a copy at *scratch*.

    Without a readable schema, the WAL is merged into the copy under another first page.

    Raises:
        apsw.CorruptError: it has none.
        OSError: there is no room for the copy, or *damaged* cannot be read.
    """
    wal, copied_wal = (path.with_name(f"{path.name}-wal") for path in (damaged, scratch))
    try:
        scratch.touch(0o600)
        if damaged.exists():
            shutil.copyfile(damaged, scratch)
        if wal.exists() and wal.stat().st_size:
            shutil.copyfile(wal, copied_wal)
            if not has_schema:
                _replace_first_page(scratch)
            _lengthen(scratch, copied_wal.read_bytes())
            _move_wal(scratch)
        if not scratch.stat().st_size:
            raise apsw.CorruptError("it is empty")
        with scratch.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as pages:
            yield pages
    finally:
        scratch.unlink(missing_ok=True)
        copied_wal.unlink(missing_ok=True)


def _replace_first_page(database: Path) -> None:
    empty = database.with_suffix(".empty")
    with closing(apsw.Connection(str(empty))) as connection:
        rows(connection, f"PRAGMA page_size = {PAGE_BYTES}")
        rows(connection, "PRAGMA journal_mode = WAL")
    with database.open("r+b") as file:
        file.write(empty.read_bytes()[:PAGE_BYTES])
    empty.unlink()


def _lengthen(database: Path, wal: bytes) -> None:
    """Extend *database* to the length in *wal*: SQLite merges none into a much shorter file."""
    salts, frames = wal[16:24], range(_WAL_HEADER_BYTES, len(wal), _FRAME_HEADER_BYTES + PAGE_BYTES)
    pages = max(
        (int.from_bytes(wal[at + 4 : at + 8], "big") for at in frames if wal[at + 8 : at + 16] == salts), default=0
    )
    if database.stat().st_size < pages * PAGE_BYTES:
        os.truncate(database, pages * PAGE_BYTES)


def _move_wal(database: Path) -> None:
    with closing(apsw.Connection(str(database))) as connection:
        rows(connection, "PRAGMA locking_mode = EXCLUSIVE")
        with suppress(apsw.Error):
            rows(connection, "SELECT 1 FROM sqlite_schema")  # opens the WAL
        with suppress(apsw.Error):
            checkpoint(connection)


def _columns(new: apsw.Connection, table: str) -> Columns:
    described = rows(new, f"SELECT name, type, \"notnull\", dflt_value, pk FROM pragma_table_info('{table}')")
    needed = [place for place, (*_, is_needed, default, _) in enumerate(described, 1) if is_needed and default is None]
    return Columns(
        names=[name for name, *_ in described],
        kinds=["rowid" if key and kind == "INTEGER" else kind for _, kind, _, _, key in described],
        nullable=[not is_needed for _, _, is_needed, *_ in described],
        least=max(needed, default=1),
    )


def _insert(new: apsw.Connection, table: str, values: "dict[str, apsw.SQLiteValue]") -> None:
    places = ", ".join("?" * len(values))
    with suppress(apsw.ConstraintError):
        new.execute(f"INSERT OR IGNORE INTO {table} ({', '.join(values)}) VALUES ({places})", tuple(values.values()))
