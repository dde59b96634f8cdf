"""Words that are hidden in a text: what may be passed over, since there are none."""

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanes import IS_QUICK, QUICK_PART

from palimp_daemon.search.cjk import unspaced_characters
from palimp_daemon.search.cyrillic_greek import inflected_stems
from palimp_daemon.search.folding import caseless, compatible
from palimp_daemon.search.identifiers import camel_parts, hidden_words

CODES_BETWEEN = 11
"""Of the code points every eleventh is looked at; in `make unit` a fifth of those."""


def in_other_scripts(text: str) -> list[str]:
    return [*unspaced_characters(compatible(text)), *inflected_stems(caseless(text))]


@pytest.mark.parametrize("first", range(0x80, 0x80 + CODES_BETWEEN, 4))
def test_no_character_of_another_script_is_passed_over(first: int):
    """Nor one that stands for such a character: a mu that is a unit, a half-width katakana."""
    for code in range(first, sys.maxunicode + 1, CODES_BETWEEN * (QUICK_PART if IS_QUICK else 1)):
        if not 0xD800 <= code < 0xE000:
            text = f"ab{chr(code)}cd"
            assert sorted(hidden_words(text)) == sorted(in_other_scripts(text)), hex(code)


@given(st.text(max_size=40).filter(lambda text: not any(map(str.isupper, text)) and not any(map(str.isdecimal, text))))
def test_of_any_text_all_words_of_other_scripts_are_found(text: str):
    assert sorted(hidden_words(text)) == sorted(in_other_scripts(text))


def test_a_dash_or_an_accent_hides_nothing():
    assert hidden_words("café — “quoted” … naïve → über") == []


def test_names_are_cut_where_their_capitals_are():
    assert camel_parts("getUserName") == ["get", "user", "name"]
    assert camel_parts("lower") == []
