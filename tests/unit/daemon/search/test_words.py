"""The words of a text."""

import re

from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.search.words import words_in


def test_words_are_parted_by_what_is_neither_letter_digit_nor_underscore():
    assert words_in("Retries: 3× in\tsnake_case, she’s Über") == [
        *(b"retries", b"3", b"in", b"snake_case", b"she", b"s"),
        "über".encode(),
    ]


@given(st.text(st.characters(max_codepoint=127) | st.characters(exclude_categories=["Cs"])))
def test_ascii_is_taken_apart_as_every_other_text_is(text: str):
    assert words_in(text) == [word.encode() for word in re.findall(r"\w+", text.lower())]
