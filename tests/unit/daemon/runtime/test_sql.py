"""Statements over many rows."""

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.runtime.sql import insert_rows, row_list, rows

CELL = st.none() | st.integers(-(2**63), 2**63 - 1) | st.binary() | st.text()


@given(st.lists(st.tuples(st.integers(), CELL, CELL), min_size=1, max_size=9))
def test_rows_are_inserted_as_they_are(given_rows):
    """Whatever they hold, NUL among it, in their order."""
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE t (place INTEGER PRIMARY KEY, a, b)")
    placed = [(place, a, b) for place, (_, a, b) in enumerate(given_rows)]

    insert_rows(connection, "t (place, a, b)", placed)

    assert rows(connection, "SELECT place, a, b FROM t") == placed
    connection.close()


def test_a_list_of_rows_has_one_of_few_lengths():
    """Each length is a statement that SQLite must compile."""
    lengths = {row_list([(1, 2)] * count)[0] for count in range(1, 257)}
    assert len(lengths) == 9


def test_a_row_that_is_there_already_can_be_passed_over():
    """The others are inserted."""
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE t (a PRIMARY KEY)")
    insert_rows(connection, "t (a)", [(1,)])
    with pytest.raises(apsw.ConstraintError):
        insert_rows(connection, "t (a)", [(1,), (2,)])
    insert_rows(connection, "t (a)", [(1,), (2,)], or_ignore=True)
    assert rows(connection, "SELECT a FROM t") == [(1,), (2,)]
    connection.close()


def test_a_text_that_is_not_utf_8_is_damage():
    """Nothing here can have written it."""
    connection = apsw.Connection("")
    with pytest.raises(apsw.CorruptError, match="UTF-8"):
        rows(connection, "SELECT CAST(x'61da62' AS TEXT)")
