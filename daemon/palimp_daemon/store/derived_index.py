"""Indexes derived from tables: comparing and filling. `store.checks.derived_indexes` lists them."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import apsw

from palimp_daemon.store.store import Store, StoreState

BROKEN: Final = (apsw.CorruptError, apsw.SQLError)
"""SQLite's errors for an index with missing or malformed tables."""

NEWER_THAN_ALL: Final = 2**63 - 1
"""Above all rows' numbers."""


@dataclass(frozen=True)
class Derived:
    """An index derived from a table (*source*: name and key); writes run inside a transaction.

    *is_whole*: it has exactly the table's rows. *differing* returns a number whose row differs. *empty* drops all rows;
    *fill* adds the next *limit* below a number and returns the next bound, None at the end; *finish* notes completion.
    """

    name: str
    source: tuple[str, str]
    is_whole: Callable[[Store], bool]
    differing: Callable[[Store, Sequence[int]], int | None]
    empty: Callable[[Store], object]
    fill: Callable[[Store, int, int], int | None]
    finish: Callable[[Store], None]
    full_text: str = ""

    def problem(self, store: Store, numbers: Sequence[int] = ()) -> str:
        """Describe how the index differs, as a clause; empty if equal.

        All numbers are compared, and the contents of the rows *numbers*.

        Raises:
            apsw.Error: the database cannot be read for another reason than this index.
        """
        try:
            if not self.is_whole(store):
                return "it does not have the rows of its table, or is not kept in step with it"
        except BROKEN as error:
            return f"it cannot be read: {error}"
        return self.content_problem(store, numbers)

    def content_problem(self, store: Store, numbers: Sequence[int]) -> str:
        """Describe how the rows *numbers* differ, as a clause; empty if equal.

        Raises:
            apsw.Error: the database cannot be read for another reason than this index.
        """
        try:
            differing = self.differing(store, numbers)
        except BROKEN as error:
            return f"it cannot be read: {error}"
        return f"row {differing} is not in it as it is in its table" if differing is not None else ""

    def structure_problem(self, connection: apsw.Connection) -> str:
        """Return the engine's complaint about its full-text table; empty for none."""
        if not self.full_text:
            return ""
        try:
            connection.execute(f"INSERT INTO {self.full_text} ({self.full_text}) VALUES ('integrity-check')")
        except BROKEN as error:
            return f"malformed inverted index for FTS table main.{self.full_text}: {error}"
        return ""

    def some_rows(self, store: Store, limit: int) -> list[int]:
        """Draw up to *limit* row numbers."""
        table, key = self.source
        newest = store.value(f"SELECT max({key}) FROM {table}") or 0
        drawn = "SELECT DISTINCT abs(random()) % ? + 1 FROM json_each(?)"
        numbers = (newest, json.dumps([0] * limit))
        found = store.rows(f"SELECT {key} FROM {table} WHERE {key} IN ({drawn})", numbers) if newest else []
        return [number for (number,) in found]

    def next_rows(self, store: Store, after: int, limit: int) -> list[int]:
        """Return the next *limit* row numbers above *after*."""
        table, key = self.source
        return store.column(f"SELECT {key} FROM {table} WHERE {key} > ? ORDER BY {key} LIMIT ?", (after, limit))


@dataclass
class Rebuilding:
    """An index being filled, with the rows from *below* on; *is_stuck*: it cannot be."""

    derived: Derived
    below: int = NEWER_THAN_ALL
    is_stuck: bool = False

    def give_up(self) -> None:
        """Note that it cannot be filled now."""
        self.is_stuck = True


class Filling(StoreState):
    """Queue of indexes being filled."""

    def __init__(self) -> None:
        self.indexes: list[Rebuilding] = []

    def fill_anew(self, derived: Derived) -> None:
        """Queue *derived*, once."""
        others = [each for each in self.indexes if each.derived is not derived]
        self.indexes = [*others, Rebuilding(derived)]
