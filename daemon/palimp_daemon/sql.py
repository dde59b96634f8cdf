"""Reading rows: what SQLite returns has the types that the schema says, which no checker can know."""

from collections.abc import Sequence
from typing import Any

import apsw


def rows(connection: apsw.Connection, statement: str, values: "Sequence[apsw.SQLiteValue]" = ()) -> list[Any]:
    """Return all rows of *statement* with *values* bound, each a tuple."""
    return connection.execute(statement, tuple(values)).fetchall()


def value(connection: apsw.Connection, statement: str, values: "Sequence[apsw.SQLiteValue]" = ()) -> Any:
    """Return the first column of the first row of *statement*, or None when it has no rows."""
    found = rows(connection, statement, values)
    return found[0][0] if found else None
