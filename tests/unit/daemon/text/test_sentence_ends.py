"""A text is cut between two sentences, in any script, and never within one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.text.sentence_ends import SENTENCE_MAX, whole_sentences


@pytest.mark.parametrize(
    ("text", "characters", "said"),
    [
        ("Use tabs. Not spaces.", 100, "Use tabs. Not spaces."),
        ("Use tabs. Not spaces.", 12, "Use tabs. …"),
        ("Use tabs. Not spaces.", 0, "Use tabs. …"),
        ("Use uv, e.g. for tests. Never pip.", 15, "Use uv, e.g. for tests. …"),
        ("Call it `bail!` and go on. Then stop.", 20, "Call it `bail!` and go on. …"),
        ("Rate is 3.5 percent. Then stop.", 9, "Rate is 3.5 percent. …"),
        ("タブを使う。空白は使わない。", 8, "タブを使う。 …"),
        ('He said "use tabs." Then he left.', 10, 'He said "use tabs." …'),
        ("- use tabs\n- no spaces\n- ask first", 15, "- use tabs …"),
        ("A line that was wrapped\nby an editor. Then more.", 10, "A line that was wrapped\nby an editor. …"),
    ],
)
def test_whole_sentences(text: str, characters: int, said: str):
    assert whole_sentences(text, characters) == said


def test_what_never_ends_is_no_sentence():
    assert whole_sentences("word " * SENTENCE_MAX, 100) == ""


@given(st.text(), st.integers(0, 200))
def test_what_is_said_is_its_beginning_and_short_but_for_the_first(text: str, characters: int):
    said = whole_sentences(text, characters).removesuffix(" …")
    assert text.startswith(said)
    assert len(said) <= max(characters, SENTENCE_MAX)
