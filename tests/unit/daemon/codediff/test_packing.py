"""Hunks as they are stored."""

import zlib

from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.codediff.diff import Hunk
from palimp_daemon.codediff.packing import _FIRST_WORDS, _MARK, Body, diff_text, pack, unpack

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


def test_what_was_packed_with_fewer_words_can_be_read():
    """As the first version did; it stands in databases."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS, zdict=_FIRST_WORDS)
    packed = packer.compress(b"-        return response.json()\n+x") + packer.flush()
    assert not packed.startswith(_MARK)
    assert unpack(packed) == Body(["        return response.json()"], [], ["x"])
