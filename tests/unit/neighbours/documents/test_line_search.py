"""Line search in documents."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_neighbours.documents.daemon.line_search import Pattern, centre_snippet
from palimp_protocol.errors import PalimpError
from palimp_protocol.limits import DOC_SNIPPET_CHARACTERS


def numbers(pattern: str, text: str, *, is_regex: bool = False, case_sensitive: bool = False) -> list[int]:
    found, count = Pattern(pattern, is_regex=is_regex, case_sensitive=case_sensitive).lines(text.encode(), 100, 100)
    assert count == len(found)
    return [line.line_number for line in found]


TEXT = "Rate limit\nsecond line (a+b)\nthe LIMIT again, limit\n\nÉtude\n"


def test_a_text_is_itself():
    """No character of it is special, and case does not matter unless asked."""
    assert numbers("(a+b)", TEXT) == [2]
    assert numbers("limit", TEXT) == [1, 3]
    assert numbers("LIMIT", TEXT, case_sensitive=True) == [3]
    assert numbers("étude", TEXT) == [5]


def test_a_pattern_means_lines():
    """^ and $ are those of a line, and nothing reaches over its end."""
    assert numbers("^the", TEXT, is_regex=True) == [3]
    assert numbers("limit$", TEXT, is_regex=True) == [1, 3]
    assert numbers("line.*LIMIT", TEXT, is_regex=True) == []
    assert numbers("[^x]+", "a\nb\n", is_regex=True) == [1, 2]
    assert numbers(r"a\sb", "a\nb", is_regex=True) == []
    assert numbers("a|b", "a\nb", is_regex=True) == [1, 2]


@pytest.mark.parametrize(
    ("pattern", "why"),
    [("a(", "missing )"), ("(?<=x)y", "not supported"), (r"(a)\1", "not supported"), ("(?!x)", "not supported")],
)
def test_a_pattern_that_cannot_be_is_explained(pattern: str, why: str):
    """Lookaround and backreferences are named."""
    with pytest.raises(PalimpError, match=re.escape(why)):
        numbers(pattern, "x", is_regex=True)


def test_all_lines_are_counted_and_the_first_are_shown():
    """Whatever the number of matches in each."""
    found, count = Pattern("x", is_regex=False, case_sensitive=False).lines(b"x x\n\nxx\ny\nx", 2, 100)

    assert [line.line_number for line in found] == [1, 3]
    assert count == 3


def test_counting_stops_somewhere():
    """A pattern that fits every line needs no exact number."""
    assert Pattern("", is_regex=True, case_sensitive=False).lines(b"x\n" * 100, 1, 30)[1] == 30


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_dollar_is_the_end_of_a_line_whichever_way_lines_end(end: str):
    text = end.join(["# Límites", "60 requests", "requests 60"]) + end
    assert numbers("requests$", text, is_regex=True) == [2]
    assert numbers("^.*60$", text, is_regex=True) == [3]
    assert numbers("requests", text, is_regex=False) == [2, 3]


@pytest.mark.parametrize("pattern", ["(a+)+$", "(a|a)*b", "(.*)*x", "a{500}{2}", "(x+x+)+y"])
def test_bombs_do_not_explode(pattern: str):
    """They are searched in linear time, or refused."""
    try:
        assert numbers(pattern, "a" * 50_000 + "!", is_regex=True) in ([], [1])
    except PalimpError as error:
        assert "pattern" in error.text


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=300), st.data())
def test_a_snippet_is_short_whole_and_holds_the_match(line: str, data):
    """No more than 150 characters, a piece of the line."""
    line = line.replace("\n", " ").replace("\r", " ")
    start = data.draw(st.integers(0, len(line)))
    end = data.draw(st.integers(start, len(line)))

    shown = centre_snippet(line, start, end)

    assert len(shown) <= DOC_SNIPPET_CHARACTERS
    assert shown.strip("…").strip() in line


def test_a_snippet_is_centred_and_cuts_no_character():
    """An accent stays with its letter."""
    line = "x" * 200 + "needle" + "y" * 200

    shown = centre_snippet(line, 200, 206)

    assert abs(shown.index("needle") - DOC_SNIPPET_CHARACTERS // 2) <= 5
    combined = "e\u0301" * 200
    for start in range(0, 300, 7):
        assert not centre_snippet(combined, start, start + 1).strip("…").startswith("\u0301")
