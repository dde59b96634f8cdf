"""Rows are read from the pages of a database without what SQLite needs to come to them."""

import random
import tempfile
from pathlib import Path

import apsw
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lanes import examples

from palimp_daemon.store.recovery.btree_pages import PAGE_BYTES, leaf_rows

NUMBERS = st.integers(-(2**63), 2**63 - 1)
CELLS = st.none() | NUMBERS | st.text(max_size=40) | st.binary(max_size=40)
LONG = st.builds(lambda text, times: text * times, st.text(min_size=1, max_size=3), st.integers(1, 9_000))


def pages_of(rows: list[tuple]) -> bytes:
    """Return the file of a database that holds *rows*, each with its number first."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.db"
        connection = apsw.Connection(str(path))
        connection.execute("PRAGMA page_size = 4096; CREATE TABLE t (number INTEGER PRIMARY KEY, a, b, c)")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?, ?)", rows)
        connection.close()
        return path.read_bytes()


@settings(max_examples=examples(60))
@given(st.dictionaries(NUMBERS, st.tuples(CELLS, CELLS, LONG), max_size=60))
@example({1: (0, 1, "x" * 4061), 2: (-1, 127, "x" * 4062), -3: (128, 2**47, "é" * 20_000)})
def test_every_row_that_sqlite_stored_is_read_as_it_was(stored: dict[int, tuple]):
    """Numbers of every length, texts and bytes, and rows that go on on other pages."""
    pages = pages_of([(number, *cells) for number, cells in stored.items()])
    rows = [row for row in leaf_rows(pages) if len(row.cells) == 4]  # the schema's own have five
    assert {row.number: tuple(row.cells[1:]) for row in rows} == stored
    assert len(rows) == len(stored)


WHOLE = pages_of([(number, "text" * number, number, None) for number in range(80)])


@settings(max_examples=examples(100))
@given(st.dictionaries(st.integers(0, len(WHOLE) - 1), st.integers(0, 255), max_size=40), st.integers(0, 999))
def test_no_damage_is_too_much(damage: dict[int, int], seed: int):
    """What cannot be a row is passed over; whole pages of noise that say they are leaves, too."""
    data, chance = bytearray(WHOLE), random.Random(seed)
    for at, byte in damage.items():
        data[at] = byte
    noise = b"".join(b"\x0d" + chance.randbytes(PAGE_BYTES - 1) for _ in range(4))
    for row in leaf_rows(bytes(data) + noise + b"\x0d\x00"):
        assert isinstance(row.number, int)


def test_a_row_whose_end_is_lost_is_none():
    """Rather than one that says less than was saved."""
    data = bytearray(pages_of([(1, "x" * 3 * PAGE_BYTES, "y", "z")]))
    data[3 * PAGE_BYTES : 4 * PAGE_BYTES] = bytes(PAGE_BYTES)
    assert [row for row in leaf_rows(bytes(data)) if len(row.cells) == 4] == []
