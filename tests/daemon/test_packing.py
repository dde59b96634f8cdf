"""Hunks as they are stored."""

from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.changes.diff import Hunk
from palimp_daemon.changes.packing import diff_text, pack, unpack

lines = st.lists(
    st.text(st.characters(blacklist_characters="\n", blacklist_categories=["Cs"]), max_size=30), max_size=8
)


@given(lines, lines, st.data())
def test_what_is_packed_comes_back(removed, added, data):
    moved = data.draw(st.lists(st.booleans(), min_size=len(removed), max_size=len(removed)))
    body = unpack(pack(Hunk("a.py", 1, tuple(removed), tuple(added), tuple(moved))))
    assert body.gone == [line for line, is_moved in zip(removed, moved, strict=True) if not is_moved]
    assert body.moved == [line for line, is_moved in zip(removed, moved, strict=True) if is_moved]
    assert body.added == added


def test_it_reads_like_a_diff():
    assert diff_text(pack(Hunk("a.py", 1, ("one", "two"), ("three",), (False, True)))) == "-one\n two\n+three"
