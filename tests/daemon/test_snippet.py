"""Snippets show the matched words in context and cut none."""

import re

from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.search.engine import Token
from palimp_daemon.search.snippet import SNIPPET_CHARACTERS, snippet

WORDS = st.lists(st.text("abcdeé日", min_size=1, max_size=12), min_size=1, max_size=60)


def tokens(text: str) -> list[Token]:
    return [
        (len(text[: word.start()].encode()), len(text[: word.end()].encode()), word[0])
        for word in re.finditer(r"\w+", text)
    ]


def test_a_short_text_is_shown_whole():
    """With its matches marked and its line breaks as spaces."""
    text = "One line.\nAnd another."

    assert snippet(text, tokens(text), frozenset({"another"})) == "One line. And **another**."


def test_the_window_holds_the_most_matches():
    """Not the first match but the best part of the text."""
    text = "alpha " + "filler " * 40 + "alpha beta gamma " + "filler " * 40

    shown = snippet(text, tokens(text), frozenset({"alpha", "beta", "gamma"}))

    assert "**alpha** **beta** **gamma**" in shown
    assert shown.startswith("…")
    assert shown.endswith("…")


def test_without_a_match_the_beginning_is_shown():
    """As for the most recent memories."""
    text = "first " + "word " * 60

    assert snippet(text, tokens(text), frozenset()).startswith("first word")


def test_a_text_without_words_is_shown_as_it_is():
    """Punctuation only."""
    assert snippet("?! --", [], frozenset({"x"})) == "?! --"


@given(WORDS, st.data())
def test_no_word_is_cut_and_the_length_is_kept(words: list[str], data):
    """Whatever matches, the snippet is made of whole words and is about a hundred characters long."""
    text = " ".join(words)
    terms = frozenset(data.draw(st.lists(st.sampled_from(words), max_size=5)))

    plain = snippet(text, tokens(text), terms).strip("…").replace("**", "")

    assert f" {plain} " in f" {text} "
    assert len(plain) <= SNIPPET_CHARACTERS
