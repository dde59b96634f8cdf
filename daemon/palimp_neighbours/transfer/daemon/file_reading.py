"""Read files as text, JSON and rows, with any byte order mark and line ends."""

import json
import os
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple, cast
from urllib.parse import quote

import apsw

from palimp_neighbours.transfer.daemon.json_documents import json_value
from palimp_neighbours.transfer.daemon.record import FileContent, NotTakenError, clean, fields_of, first_of
from palimp_protocol.env.plain_files import open_plain
from palimp_protocol.limits import IMPORT_FILE_BYTES_MAX, IMPORT_NOTE_CHARACTERS_MAX
from palimp_protocol.surrogates import mended_bytes, mended_json

SQLITE: Final = b"SQLite format 3\0"
GZIP: Final = b"\x1f\x8b"
ZIP: Final = b"PK\x03\x04"
ZIPPED: Final = "memories.json"
"""File read of an archive; the only known kind has its memories there."""

_MARKS: Final = {
    b"\xef\xbb\xbf": "utf-8",
    b"\xff\xfe\x00\x00": "utf-32-le",
    b"\x00\x00\xfe\xff": "utf-32-be",
    b"\xff\xfe": "utf-16-le",
    b"\xfe\xff": "utf-16-be",
}
"""Byte order marks, longer ones before those that they begin with."""

FIRST_LINES_MAX: Final = 100
"""Lines searched for the first record."""


class Look(NamedTuple):
    """Features that identify a file's or folder's source."""

    path: Path
    is_folder: bool = False
    is_markdown: bool = False
    tables: Mapping[str, frozenset[str]] = {}
    """Of a database: its tables and their columns."""
    document: Any = None
    """The file's content, if one JSON value."""
    lines: Sequence[Mapping[str, Any]] = ()
    """The first objects, if it holds one a line."""

    @property
    def fields(self) -> Mapping[str, Any]:
        """The document if it is an object, else empty."""
        return fields_of(self.document)

    @property
    def first(self) -> Mapping[str, Any]:
        """The first record of a list or of lines, or empty."""
        return first_of(self.document if isinstance(self.document, list) else list(self.lines))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]


def look_at(path: Path) -> Look:
    """Look at *path*.

    Raises:
        OSError: it cannot be read.
        ValueError: it cannot be taken apart; the text has reason and remedy.
    """
    if path.is_dir():
        return Look(path, is_folder=True)
    with open_plain(path) as stream:
        head = stream.read(16)
    if head.startswith(SQLITE):
        return Look(path, tables=tables_of(path))
    if path.suffix.lower() in (".md", ".markdown"):
        return Look(path, is_markdown=True)
    document = document_of(path)
    if document is not None and not isinstance(document, Lines):
        return Look(path, document=document, lines=[fields_of(document)])
    lines = [fields_of(each) for _, each in records_of(document or [], FIRST_LINES_MAX)]
    return Look(path, lines=[each for each in lines if each])


class Lines(list[str]):
    """A file's lines, each a JSON value."""


def data_of(path: Path) -> bytes:
    """Read *path*; of an archive, its memories.

    Raises:
        OSError: it cannot be read.
        ValueError: it is too large, or packed.
    """
    with open_plain(path) as stream:
        data = stream.read(IMPORT_FILE_BYTES_MAX + 1)
    if data.startswith(ZIP):
        data = _read_zip(path)
    if len(data) > IMPORT_FILE_BYTES_MAX:
        raise ValueError(f"it has more than {IMPORT_FILE_BYTES_MAX:,} bytes")
    if data.startswith(GZIP):
        raise ValueError("it is compressed; unpack it first (gunzip)")
    return data


def _read_zip(path: Path) -> bytes:
    try:
        with open_plain(path) as stream, zipfile.ZipFile(stream) as archive:
            name = next((each for each in archive.namelist() if each.rsplit("/", 1)[-1] == ZIPPED), None)
            if name is None:
                raise ValueError(f"it is an archive without {ZIPPED}; unpack it first")
            with archive.open(name) as member:
                return member.read(IMPORT_FILE_BYTES_MAX + 1)
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError) as error:
        raise ValueError(f"the archive cannot be read: {error}") from None


def decode(data: bytes) -> str:
    """Decode by byte order mark, else as UTF-8; bad bytes become U+FFFD."""
    for mark, encoding in _MARKS.items():
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    return mended_bytes(data).decode("utf-8", "replace")


def decoded_strictly(data: bytes) -> str:
    """Decode by byte order mark, else as UTF-8, surrogates mended.

    Raises:
        NotTakenError: it is no text.
    """
    for mark, encoding in _MARKS.items():
        if data.startswith(mark) and len(data) > len(mark):
            return data[len(mark) :].decode(encoding, "replace")
    try:
        return mended_bytes(data).decode()
    except UnicodeDecodeError:
        raise NotTakenError("it is no UTF-8 text") from None


def document_of(path: Path) -> Any:
    """Parse *path* as a JSON value, else as `Lines`.

    Raises:
        OSError, ValueError: as `data_of`.
    """
    status = path.stat()
    return _document(path, status.st_ino, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=1)
def _document(path: Path, *_: int) -> Any:
    """Read as `document_of`; cached during an import's pages (`forget`)."""
    text = mended_json(decode(data_of(path)).encode()).decode()
    try:
        return json_value(text)
    except (ValueError, RecursionError):
        return Lines(text.replace("\r\n", "\n").split("\n"))  # JSON may hold other line ends


def content_of(path: Path, made_of: Callable[[Any], FileContent]) -> FileContent:
    """Return *made_of*(document), cached for an import's pages (`forget`).

    Raises:
        OSError, ValueError: as `data_of`.
    """
    status = path.stat()
    return _content(path, made_of, status.st_ino, status.st_size, status.st_mtime_ns)


@lru_cache(maxsize=1)
def _content(path: Path, made_of: Callable[[Any], FileContent], *_: int) -> FileContent:
    content = made_of(document_of(path))
    _document.cache_clear()
    return content


def forget() -> None:
    """Drop the last file read."""
    _document.cache_clear()
    _content.cache_clear()


def records_of(document: Any, most: int | None = None) -> Iterator[tuple[str, Any]]:
    """Yield (place, record) of a list or lines; a bad line gives a `NotTakenError`."""
    if isinstance(document, Lines):
        number = 0
        for place, line in enumerate(document, 1):
            if line.strip() and (most is None or number < most):
                number += 1
                yield f"line {place}", _load(line)
    elif isinstance(document, list):
        yield from ((f"record {place}", each) for place, each in enumerate(cast("list[Any]", document), 1))
    else:
        yield "record 1", document


def _load(line: str) -> Any:
    try:
        return json.loads(line)
    except RecursionError:
        return NotTakenError("its JSON is nested too deeply")
    except ValueError:
        return NotTakenError("it is no JSON")


def entries_of(value: Any, name: str) -> Iterator[tuple[str, Any]]:
    """Yield (place in *name*, entry) of a list; else nothing."""
    if isinstance(value, list):
        yield from ((f"{name}[{place}]", each) for place, each in enumerate(cast("list[Any]", value)))


# --- databases ------------------------------------------------------------------------------------


def is_database(path: Path) -> bool:
    """Tell whether *path* is a database.

    Raises:
        OSError: it cannot be read.
    """
    with open_plain(path) as stream:
        return stream.read(len(SQLITE)) == SQLITE


def open_database(path: Path) -> apsw.Connection:
    """Open *path* read-only, also while its program writes.

    Raises:
        ValueError: it cannot be opened.
    """
    address = f"file:{quote(os.fsencode(path))}?mode=ro"
    try:
        connection = apsw.Connection(address, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        connection.set_busy_timeout(1_000)
    except apsw.Error as error:
        raise ValueError(f"the database cannot be opened: {error}") from None
    return connection


def tables_of(path: Path) -> Mapping[str, frozenset[str]]:
    """Return {table: columns} of *path*.

    Raises:
        ValueError: it cannot be read.
    """
    tables: dict[str, set[str]] = {}
    for table, column in _select(
        path,
        "SELECT m.name, c.name FROM sqlite_schema m, pragma_table_info(m.name) c"
        " WHERE m.type = 'table' AND m.sql NOT LIKE 'CREATE VIRTUAL%'",
    ):
        tables.setdefault(table, set()).add(column)
    return {table: frozenset(columns) for table, columns in tables.items()}


def rows_of(path: Path, table: str, columns: Mapping[str, str], place: int, limit: int) -> list[dict[str, str | None]]:
    """Return *limit* rows of *table* from *place* on: {name: text} for *columns*, {name: column}.

    Raises:
        ValueError: it cannot be read.
    """
    # As bytes, since a text of a database need not be UTF-8.
    bytes_max = 4 * IMPORT_NOTE_CHARACTERS_MAX + 1  # of UTF-8
    read = f'substr(CAST("{{}}" AS BLOB), 1, {bytes_max})'
    chosen = ", ".join(read.format(column) if column else "NULL" for column in columns.values())
    found = _select(path, f'SELECT {chosen} FROM "{table}" ORDER BY rowid LIMIT ? OFFSET ?', (limit, place))
    return [dict(zip(columns, map(_cell, row), strict=True)) for row in found]


def _cell(value: bytes | None) -> str | None:
    return None if value is None else clean(value.decode("utf-8", "replace"))


def count_of(path: Path, table: str) -> int:
    """Count the rows of *table*.

    Raises:
        ValueError: it cannot be read.
    """
    return int(_select(path, f'SELECT count(*) FROM "{table}"')[0][0])


def _select(path: Path, statement: str, values: Sequence[int] = ()) -> list[Any]:
    connection = open_database(path)
    try:
        return connection.execute(statement, values).fetchall()
    except apsw.Error as error:
        raise ValueError(f"the database cannot be read: {error}") from None
    finally:
        connection.close()
