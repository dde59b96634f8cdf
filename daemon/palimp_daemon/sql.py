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


IN_STEP = 25
"""Keys in a list of `IN`, or a multiple: statements of few lengths are found compiled (apsw keeps 100)."""


def in_list(keys: Sequence[int]) -> tuple[str, list[int]]:
    """Return `(?, …)` for *keys*, which are above 0, and its values: filled up with 0 to a multiple of IN_STEP."""
    short = -len(keys) % IN_STEP
    return f"({', '.join('?' * (len(keys) + short))})", [*keys, *[0] * short]
