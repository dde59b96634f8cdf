"""Define importers, which recognise a program's files and read records and notes.

Other packages add theirs as entry points of the group `palimp.importers`, named by format.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from palimp_neighbours.transfer.daemon.file_reading import (
    Look,
    content_of,
    count_of,
    entries_of,
    is_database,
    records_of,
    rows_of,
    tables_of,
)
from palimp_neighbours.transfer.daemon.record import Batch, FileContent, Note, batch_from, fields_of, found_in
from palimp_protocol.limits import IMPORT_NOTE_CHARACTERS_MAX

ENTRY_POINTS: Final = "palimp.importers"

Columns = Mapping[str, Sequence[str]]
"""Columns of each field; the first one that exists has it."""


class Importer(Protocol):
    """A kind of files or folders."""

    def recognises(self, look: Look, /) -> bool:
        """Recognise a file or folder by content."""
        ...

    def batch_of(self, path: Path, place: int, limit: int) -> Batch:
        """Return *limit* records from number *place* on.

        Raises:
            OSError: it cannot be read.
            ValueError: it is too large, damaged, or of another kind.
        """
        ...


@dataclass(frozen=True, eq=False)
class Records:
    """An importer of JSON, lines of JSON, or a database."""

    source: str
    recognises: Callable[[Look], bool]
    note: Callable[[Mapping[str, Any]], Note]
    """Makes a note of a record, or raises `NotTakenError`."""
    items: Callable[[Any], Iterator[tuple[str, Any]]] = records_of
    tables: Mapping[str, tuple[str, Columns]] = field(default_factory=dict[str, tuple[str, Columns]])
    """Its database's tables, in reading order: a record's name, and its fields."""

    def batch_of(self, path: Path, place: int, limit: int) -> Batch:
        """Return *limit* records from *place* on, as `Importer` does."""
        if not (self.tables and is_database(path)):
            return batch_from(content_of(path, self._find), place, limit)
        there = tables_of(path)
        counts = {table: count_of(path, table) for table in self.tables if table in there}
        total = sum(counts.values())
        rows = list(_within_page(self._rows(path, there, counts, place, limit)))
        end = min(place + len(rows), total) if rows else total
        found = found_in(rows, self.source, self.note)
        return Batch(found.records, found.left, end if end < total else None, end, total)

    def _find(self, document: Any) -> FileContent:
        return found_in(self.items(document), self.source, self.note)

    def _rows(
        self, path: Path, there: Mapping[str, frozenset[str]], counts: Mapping[str, int], place: int, limit: int
    ) -> Iterator[tuple[str, dict[str, Any]]]:
        for table, count in counts.items():
            if place < count and limit > 0:
                kind, fields = self.tables[table]
                columns = {
                    name: next((each for each in names if each in there[table]), "") for name, names in fields.items()
                }
                rows = rows_of(path, table, columns, place, min(limit, count - place))
                for number, row in enumerate(rows, place + 1):
                    yield f"{kind} {row.get('id') or number}", {**row, "table": kind}
                limit -= len(rows)
            place = max(0, place - count)


def _within_page(rows: Iterable[tuple[str, dict[str, Any]]]) -> Iterator[tuple[str, dict[str, Any]]]:
    characters = 0
    for place, row in rows:
        if characters >= IMPORT_NOTE_CHARACTERS_MAX:
            return
        characters += sum(len(each) for each in row.values() if each)
        yield place, row


def columns(*names: str, **others: Sequence[str]) -> Columns:
    """Return fields named as their columns, and *others* with possible names."""
    return {name: (name,) for name in names} | others


def lists_of(document: Any, names: Sequence[str]) -> Iterator[tuple[str, Any]]:
    """Yield records of the first list under *names*, else the document's own."""
    fields = fields_of(document)
    name = next((name for name in names if isinstance(fields.get(name), list)), "")
    yield from entries_of(fields[name], name) if name else records_of(document)


def first_records(look: Look, names: Sequence[str]) -> list[Mapping[str, Any]]:
    """Return three records."""
    return [look.first, *look.lines, *(fields_of(each) for _, each in lists_of(look.document, names))][:3]
