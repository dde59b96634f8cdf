"""Editing TOML: one value changes, everything else is as it was."""

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.settings.toml_edit import with_value, without_value
from palimp_protocol.settings import SETTINGS

TEXT = """\
# my settings
[search]   # how things are found
engine = "fts4"  # the old one

[capture]
turns = 3
"""


def test_comments_and_order_stay():
    """Only the value differs."""
    assert with_value(TEXT, "search.engine", "fts5") == TEXT.replace('"fts4"', '"fts5"')
    assert with_value(TEXT, "capture.turns", 0) == TEXT.replace("turns = 3", "turns = 0")


def test_line_ends_stay():
    """A file from Windows stays one."""
    text = TEXT.replace("\n", "\r\n")

    assert with_value(text, "capture.turns", 4) == text.replace("turns = 3", "turns = 4")


def test_what_is_set_and_unset_is_gone():
    """With its table, if that was made for it."""
    changed = with_value(TEXT, "mcp.format", "json")
    assert tomllib.loads(changed)["mcp"] == {"format": "json"}
    assert tomllib.loads(without_value(changed, "mcp.format")) == tomllib.loads(TEXT)
    assert without_value(TEXT, "mcp.format") == TEXT
    assert "how things are found" in without_value(TEXT, "search.engine")


def test_a_broken_text_is_refused():
    """It is not written over."""
    with pytest.raises(ValueError, match="line 1"):
        with_value("[search\n", "mcp.format", "json")
    with pytest.raises(ValueError, match="no table"):
        with_value("mcp = 3\n", "mcp.format", "json")


@given(
    st.lists(
        st.tuples(
            st.sampled_from(sorted(SETTINGS)),
            st.one_of(
                st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30),
                st.integers(0, 9),
                st.booleans(),
                st.lists(st.text("ab\"'", max_size=5), max_size=3).map(tuple),
            ),
        ),
        max_size=6,
    )
)
def test_whatever_is_set_can_be_read(changes):
    """The last value of each key, and the comments."""
    text, expected = TEXT, {"search.engine": "fts4", "capture.turns": 3}
    for key, value in changes:
        text = with_value(text, key, value)
        expected[key] = list(value) if isinstance(value, tuple) else value
    table = tomllib.loads(text)

    assert {key: table[key.split(".")[0]][key.split(".")[1]] for key in expected} == expected
    assert text.startswith("# my settings\n")
