"""What is shown of stored text: nothing that a terminal acts on."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_protocol.plain import without_control


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("red \x1b[31mletters\x1b[0m", "red letters"),
        ("a title \x1b]0;owned\x07here", "a title here"),
        ("a link \x1b]8;;http://x\x1b\\here", "a link here"),
        ("a bell \x07, a delete \x7f, a C1 \x9b1m", "a bell , a delete , a C1 1m"),
        ("back\rover", "backover"),
        ("two\nlines\tand a tab", "two\nlines\tand a tab"),
        ("no\u00a0break, an ellipsis…, 日本語", "no\u00a0break, an ellipsis…, 日本語"),
    ],
)
def test_escapes_go_whole_and_everything_else_stays(text: str, shown: str):
    """Line feeds and tabs are no escapes."""
    assert without_control(text) == shown


@given(st.text(st.characters() | st.sampled_from("\x00\x07\x1b\x7f\x9b[]m;\n\t")))
def test_no_text_keeps_a_control_character(text: str):
    """Whatever was stored; and what has none is shown as it is."""
    shown = without_control(text)

    assert not [each for each in shown if unicodedata.category(each) == "Cc" and each not in "\n\t"]
    if not any(unicodedata.category(each) == "Cc" and each not in "\n\t" for each in text):
        assert shown == text
