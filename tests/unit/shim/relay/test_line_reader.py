"""Lines come out as they went in, however the bytes were cut."""

from hypothesis import given
from hypothesis import strategies as st

from palimp_shim.relay.line_reader import LineReader


@given(st.lists(st.binary(max_size=30)), st.lists(st.integers(1, 20), min_size=1))
def test_chunks_do_not_matter(chunks: list[bytes], sizes: list[int]):
    """The same bytes give the same lines, whatever pieces they come in."""
    data = b"".join(chunks) + b"\n"
    whole = LineReader(1000).feed(data)
    pieces, lines, place = LineReader(1000), [], 0
    for size in sizes * (len(data) + 1):
        lines += pieces.feed(data[place : place + size])
        place += size

    assert lines == whole == [line.strip(b" \t\r") for line in data.split(b"\n") if line.strip(b" \t\r")]


def test_a_line_over_the_bound_is_reported_once_and_skipped():
    """It is not kept, and the line after it is read."""
    lines = LineReader(10)

    assert lines.feed(b"x" * 8) == []
    assert lines.feed(b"x" * 8) == [None]
    assert lines.feed(b"x" * 1000) == []
    assert lines.feed(b"tail\nnext\n") == [b"next"]


def test_a_line_of_exactly_the_bound_is_kept():
    """The bound is the longest length that passes."""
    assert LineReader(10).feed(b"0123456789\n") == [b"0123456789"]
    assert LineReader(10).feed(b"0123456789a\n") == [None]
