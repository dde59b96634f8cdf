"""Read rows, and run transactions. Column types come from the schema, so results are Any."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

import apsw


def rows(connection: apsw.Connection, statement: str, values: "Sequence[apsw.SQLiteValue]" = ()) -> list[Any]:
    """Return all rows of *statement* as tuples.

    Raises:
        apsw.CorruptError: also where a text is not UTF-8, which nothing here can have written.
    """
    try:
        return connection.execute(statement, tuple(values)).fetchall()
    except UnicodeDecodeError as error:
        raise apsw.CorruptError(f"a text is not UTF-8: {error.reason}") from error


def value(connection: apsw.Connection, statement: str, values: "Sequence[apsw.SQLiteValue]" = ()) -> Any:
    """Return the first column of the first row, or None."""
    found = rows(connection, statement, values)
    return found[0][0] if found else None


@contextmanager
def transaction(connection: apsw.Connection) -> Generator[None, None, None]:
    """Commit the writes within, or roll them back on an exception.

    Raises:
        apsw.Error: it cannot begin, or not be committed; SQLite may have rolled back by itself, as on a full disk.
    """
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def rolled_back(connection: apsw.Connection) -> Generator[None]:
    """Try out writes within the running transaction, then undo them."""
    connection.execute("SAVEPOINT tried")
    try:
        yield
    finally:
        connection.execute("ROLLBACK TO tried")
        connection.execute("RELEASE tried")


IN_STEP = 25
"""Lengths of `IN` lists are multiples of this, so that compiled statements are reused (apsw keeps 100)."""


def in_list(keys: Sequence[int]) -> tuple[str, list[int]]:
    """Return `(?, …)` and its values for *keys* above 0, padded with 0 to a multiple of IN_STEP."""
    short = -len(keys) % IN_STEP
    return f"({', '.join('?' * (len(keys) + short))})", [*keys, *[0] * short]


def row_list(rows_of: "Sequence[Sequence[apsw.SQLiteValue]]") -> "tuple[str, list[apsw.SQLiteValue]]":
    """Return `(VALUES (?, …), …)` and its values, padded with NULLs to a power of two: few statements to compile.

    Readers must leave out rows with NULL in `column1`.
    """
    width, places = len(rows_of[0]), 1 << (len(rows_of) - 1).bit_length()
    values = [cell for row in rows_of for cell in row]
    row = f"({', '.join('?' * width)})"
    return f"(VALUES {', '.join([row] * places)})", [*values, *[None] * (width * places - len(values))]


def insert_rows(
    connection: apsw.Connection, into: str, rows_of: "Sequence[Sequence[apsw.SQLiteValue]]", *, or_ignore: bool = False
) -> None:
    """Insert rows in order *into* a table: name and columns, the first never NULL."""
    listed, values = row_list(rows_of)
    verb = "INSERT OR IGNORE" if or_ignore else "INSERT"
    connection.execute(f"{verb} INTO {into} SELECT * FROM {listed} WHERE column1 IS NOT NULL", values)
