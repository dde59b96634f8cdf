"""What is shown of foreign text: nothing that a terminal acts on, nothing invisible, names on one line."""

import json
import sys
import unicodedata
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from lanes import IS_QUICK

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import ERROR_CHARACTERS_MAX
from palimp_protocol.text import json_escaped, one_line, quote_text, shown_name, without_control

INVISIBLE_NAMES = (
    *(f"VARIATION SELECTOR-{number}" for number in range(1, 257)),
    *(f"FREE VARIATION SELECTOR {number}" for number in ("ONE", "TWO", "THREE", "FOUR")),
    "HANGUL FILLER",
    "CHOSEONG FILLER",
    "JUNGSEONG FILLER",
    "GRAPHEME JOINER",
    "VOWEL INHERENT AQ",
    "VOWEL INHERENT AA",
)
"""Ends of the names of what is ignored in display although its category is one of letters and marks."""


def _is_forbidden(character: str) -> bool:
    """Tell by Unicode's own data whether a character may be shown only as part of writing."""
    category, code = unicodedata.category(character), ord(character)
    is_noncharacter = category == "Cn" and (code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF)
    is_reserved_for_ignoring = category == "Cn" and (
        0xE0000 <= code <= 0xE0FFF or 0xFFF0 <= code <= 0xFFF8 or code == 0x2065 or 0x13430 <= code <= 0x1343F
    )
    return (
        (category in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp") and character not in "\n\t")
        or is_noncharacter
        or is_reserved_for_ignoring
        or (category in ("Mn", "Lo") and unicodedata.name(character, "").endswith(INVISIBLE_NAMES))
    )


@cache
def every() -> list[str]:
    """Return every character; with the next, half a second, which only the tests that need it take."""
    return [chr(code) for code in range(sys.maxunicode + 1)]


@cache
def forbidden() -> dict[str, None]:
    """Return every character that may not be shown by itself, in order."""
    return dict.fromkeys(character for character in every() if _is_forbidden(character))


ANY_FORBIDDEN = st.deferred(lambda: st.sampled_from([*forbidden()]))


def _alphabet(*ranges: tuple[int, int]) -> str:
    """Return the letters and marks in *ranges* that are not forbidden by themselves."""
    characters = (chr(code) for first, last in ranges for code in range(first, last + 1))
    return "".join(each for each in characters if unicodedata.category(each)[0] in "LM" and not _is_forbidden(each))


SCRIPTS = {
    "Arabic and Persian": _alphabet((0x620, 0x64A), (0x66E, 0x6D3)),
    "Syriac": _alphabet((0x710, 0x74A)),
    "Devanagari": _alphabet((0x900, 0x963)),
    "Bengali": _alphabet((0x980, 0x9E3)),
    "Gujarati": _alphabet((0xA80, 0xAE3)),
    "Tamil": _alphabet((0xB80, 0xBD0)),
    "Kannada": _alphabet((0xC80, 0xCE3)),
    "Malayalam": _alphabet((0xD00, 0xD63)),
    "Sinhala": _alphabet((0xD80, 0xDDF)),
    "Myanmar": _alphabet((0x1000, 0x104F)),
    "Khmer": _alphabet((0x1780, 0x17D3)),
}
PICTOGRAMS = "❤⛓🏳👁🧑👩🏽🚒🔥🌈💻🐦⬛♀⚕➡↔⚧"
FLAGS = ["🏴" + "".join(chr(0xE0000 + ord(each)) for each in region) + "\U000e007f" for region in ("gbeng", "gbsct")]


@st.composite
def words_with_joiners(draw: st.DrawFn) -> str:
    """Words of one script, with single joiners behind some letters, also before one of another script."""
    letters = st.sampled_from(SCRIPTS[draw(st.sampled_from(sorted(SCRIPTS)))])
    word = st.lists(st.tuples(letters, st.sampled_from(["", "", "\u200c", "\u200d"])), min_size=1, max_size=8)
    loan = st.tuples(st.sampled_from(["PDF", "git", "Ж"]), letters).map("\u200c".join)
    text = st.one_of(word.map(lambda pairs: "".join(letter + joiner for letter, joiner in pairs)), loan)
    return " ".join(draw(st.lists(text, min_size=1, max_size=5)))


@st.composite
def pictures(draw: st.DrawFn) -> str:
    """Pictograms, some with a style, joined into one or not; flags; keycaps; ideographs with variants."""
    styled = st.tuples(st.sampled_from(PICTOGRAMS), st.sampled_from(["", "\ufe0f"])).map("".join)
    joined = st.lists(styled, min_size=1, max_size=4).map("\u200d".join)
    keycap = st.sampled_from("0123456789#*").map(lambda each: f"{each}\ufe0f\u20e3")
    selectors = st.integers(0xE0100, 0xE01EF).map(chr) | st.sampled_from("\ufe00\ufe01\ufe02\ufe0f")
    ideograph = st.tuples(st.sampled_from("葛辻漢字㐂"), selectors).map("".join)
    return "".join(draw(st.lists(joined | keycap | ideograph | st.sampled_from(FLAGS) | st.just(" "), max_size=6)))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("red \x1b[31mletters\x1b[0m", "red letters"),
        ("a title \x1b]0;owned\x07here", "a title here"),
        ("a link \x1b]8;;http://x\x1b\\here", "a link here"),
        ("a device string \x1bPq#0\x1b\\here", "a device string here"),
        ("a bell \x07, a delete \x7f, a C1 \x9b1m", "a bell , a delete , a C1 1m"),
        ("back\rover", "backover"),
        ("Windows\r\nlines", "Windows\nlines"),
        ("two\u2028lines\u2029three", "two\nlines\nthree"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("no\u00a0break, an ellipsis…, 日本語", "no\u00a0break, an ellipsis…, 日本語"),
        ("half an emoji \ud83d", "half an emoji \ufffd"),
    ],
)
def test_escapes_go_whole_and_everything_else_stays(text: str, shown: str):
    """Line feeds and tabs are no escapes; a line that ends in another way still ends."""
    assert without_control(text) == shown


@pytest.mark.parametrize("around", [("", ""), ("漢", "字")] + [("a", "b"), ("ж ", " ж"), ("(", ")")] * (not IS_QUICK))
def test_no_invisible_character_of_unicode_is_shown(around: tuple[str, str]):
    """Each of them alone, in Latin, Cyrillic and Chinese text; variants of ideographs are part of these."""
    before, after = around
    shown = set(without_control(before + f"{after}.{before}".join(forbidden()) + after)) & forbidden().keys()
    if before == "漢":
        variants = {"\ufe00", "\ufe01", "\ufe02", "\ufe0e", "\ufe0f", *map(chr, range(0xE0100, 0xE01F0))}
        assert shown <= variants
    else:
        assert not shown
    assert without_control(before + "".join(forbidden()) + after).replace("\ufffd", "").replace("\n", "") in (
        before + after,
        before + "\ufe00" + after,  # the first of the run
    )


def test_every_other_character_is_shown_as_it_is():
    """Also those that this Python does not know yet: they may be tomorrow's emoji."""
    text = "".join(each for each in every() if each not in forbidden())
    assert without_control(text) == text


@given(st.text(ANY_FORBIDDEN | st.sampled_from("aا😀漢 \u1820\n" + "".join(SCRIPTS.values())), max_size=60))
@example("\u0600\ud800\u0620")
def test_invisible_characters_never_stand_in_a_row(text: str):
    """So no text hides another; what is shown once is shown the same again."""
    shown = without_control(text)

    flags = [flag for flag in FLAGS if flag in shown]
    bare = shown
    for flag in flags:
        bare = bare.replace(flag, "🏴")
    rows = [left + right for left, right in pairwise(bare) if {left, right} <= forbidden().keys()]
    assert set(rows) <= {"\ufe0f\u200d"}  # a styled pictogram that is joined to the next
    assert without_control(shown) == shown


@given(words_with_joiners() | pictures() | st.text(st.sampled_from("שלום عربي ǵ̃ ﷺ ﹏")))
def test_writing_with_joiners_stays_as_it_is(text: str):
    """In the scripts that join letters, in pictures, flags, keycaps and variants of ideographs."""
    assert without_control(text) == text
    assert one_line(text, 10_000) == " ".join(text.split())


@given(st.text(st.characters() | ANY_FORBIDDEN, max_size=300), st.integers(10, 200))
def test_a_name_is_one_short_line_and_two_names_are_not_taken_for_one(text: str, characters: int):
    """What is invisible is written out; the middle of a long one is left out."""
    for shown in (shown_name(text, characters), one_line(text, characters)):
        assert len(shown) <= characters
        assert len(shown.splitlines()) <= 1
        assert without_control(shown) == shown
    assert shown_name("a\u202eb\nc\udcff\t") == "a\\u{202e}b\\nc\\xff\\t"
    assert shown_name("a\u200bb") != shown_name("ab")


@given(
    st.text(st.sampled_from("ab'\"\\\n\u202e …"), max_size=60) | st.text(max_size=300) | st.integers() | st.booleans()
)
def test_nothing_in_quotes_closes_them(value: object):
    """The mark stands at both ends, and between them only behind a backslash."""
    shown = quote_text(value)

    if isinstance(value, str):
        mark, inside = shown[0], shown[1:-1]
        assert mark in "'\""
        assert shown[-1] == mark
        if "…" not in inside:
            assert mark not in inside.replace("\\\\", "").replace(f"\\{mark}", "")
    assert "\n" not in shown
    assert without_control(shown) == shown


def test_a_plain_value_is_quoted_as_python_does_it():
    """Most are; and those are read most easily."""
    for value in ("docs", "it's", 'say "x"', 5, True, "a\\b", "/a/b c"):
        assert quote_text(value) == repr(value)


@given(st.dictionaries(st.text(max_size=5), st.text(st.characters() | ANY_FORBIDDEN), max_size=5))
def test_json_that_is_shown_has_the_same_values(values: dict[str, str]):
    """A script reads what was stored, and a terminal acts on none of it."""
    document = json.dumps(values, ensure_ascii=False, indent=2)

    shown = json_escaped(document)

    assert json.loads(shown) == values
    assert without_control(shown) == shown


@given(st.text(st.sampled_from("ab\n\u202e\u2028\x1b[m…" + "\U000e0041"), max_size=9_000))
def test_an_error_is_a_line_whatever_it_names(text: str):
    """Both of its sentences."""
    error = PalimpError(ErrorCode.BAD_REQUEST, text, text)

    for shown in (error.text, error.hint):
        assert len(shown.splitlines()) <= 1
        assert len(shown) <= ERROR_CHARACTERS_MAX
        assert without_control(shown) == shown
