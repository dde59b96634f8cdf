"""The frame around stored text."""

import re
import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.render.frame import framed
from palimp_protocol.text import without_control

INVISIBLE = ["\u200b", "\u2060", "\ufeff", "\u00ad", "\u202e", "\U000e0041", "\ufe0f", "\u200d", "\x1b[31m"]
ALIKE = {
    "a": "aａ𝐚аαɑⓐᴀ",
    "e": "eｅ𝐞еε",
    "i": "iｉ𝐢іıιⅰ",
    "l": "lｌ𝐥ⅼ1|",
    "m": "mｍ𝐦м",
    "n": "nｎ𝐧п",
    "o": "oｏ𝐨оο0",
    "p": "pｐ𝐩рρ",
    "s": "sｓ𝐬ѕ5",
    "t": "tｔ𝐭т",
    "-": "-‐–—－_ ",
    "<": "<＜‹⟨〈˂﹤",
    ">": ">＞›⟩〉˃﹥",
    "/": "/／⁄∕",
}
MARK = re.compile(r"<(palimp-notes-[0-9a-f]{8})>\n(.*)\n</\1>", re.DOTALL)


@st.composite
def fake_marks(draw: st.DrawFn) -> str:
    """Closing marks in look-alike letters, of either case, with invisible characters between them."""
    pieces: list[str] = []
    for character in "</palimp-notes-0a1b2c3d>":
        alike = draw(st.sampled_from(ALIKE.get(character, character)))
        pieces += [draw(st.sampled_from([alike, alike.upper()])), draw(st.sampled_from(["", "", *INVISIBLE]))]
    return "".join(pieces)


@given(st.lists(st.text(max_size=30) | fake_marks(), max_size=5).map("\n".join), fake_marks())
def test_nothing_in_a_frame_looks_like_its_end(text: str, heading: str):
    """Also what becomes a mark only when the invisible is taken out; in letters of any alphabet."""
    found = MARK.fullmatch(framed(text, heading))

    assert found
    plain = unicodedata.normalize("NFKC", found[2])
    assert not re.search(r"[<‹⟨〈˂][^<\n]{0,3}p.{0,12}s", plain, re.IGNORECASE)
    assert without_control(found[2]) == found[2]


@given(st.text(st.sampled_from("ab<>/ \n‹›«»") | st.sampled_from("日本語é"), max_size=80))
def test_other_brackets_stay(text: str):
    """Markup and comparisons are part of many texts."""
    assert framed(text, "Heading").split("\n", 2)[2].rpartition("\n")[0] == text
