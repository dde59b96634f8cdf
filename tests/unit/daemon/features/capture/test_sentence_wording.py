"""Titles of captured memories name what they are about."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.features.capture.sentence_wording import begins_with_pronoun, title_of, title_of_fix
from palimp_daemon.text.titles import SENTENCE_CHARACTERS_MAX


@pytest.mark.parametrize(
    ("said", "title"),
    [
        (["ok listen, from now on all dates are in UTC."], "from now on all dates are in UTC"),
        (["No no, the week begins on Sunday for them."], "the week begins on Sunday for them"),
        (
            ["We had the discussion with legal.", "Addresses must be cut to /24 before they are stored."],
            "Addresses must be cut to /24 before they are stored",
        ),
        (["npm scripts always run through turbo."], "npm scripts always run through turbo"),
        (["iOS builds always need the new certificate."], "iOS builds always need the new certificate"),
        (["Perfect.", "Done.", "hasNewMessages is false after reading."], "hasNewMessages is false after reading"),
        (["以后所有时间都用 UTC 存储。"], "以后所有时间都用 UTC 存储"),
        (["`ttl_ms` is always in milliseconds, never seconds."], "`ttl_ms` is always in milliseconds, never seconds"),
    ],
)
def test_what_opens_a_sentence_is_left_out_and_the_telling_one_is_taken(said: list[str], title: str):
    assert title_of(said) == title


def test_a_fix_is_named_by_what_was_wrong():
    said = ["I reproduced it at once.", "The index was missing, so it read every row.", "I added one."]
    assert title_of_fix(said) == "The index was missing, so it read every row"


@pytest.mark.parametrize(
    ("sentence", "is_one"),
    [
        ("It is five.", True),
        ("no, that's the old one", True),
        ("Das ist der alte Port.", True),
        ("它是旧的。", True),
        ("The port is five.", False),
        ("It is not the operations team who owns this.", False),
        ("Ce n'est pas le technicien qui ferme l'inspection.", False),
    ],
)
def test_what_stands_for_something_said_before_is_known(sentence: str, is_one: bool):
    assert begins_with_pronoun(sentence) is is_one


@given(st.lists(st.text(min_size=1, max_size=90), min_size=1, max_size=4))
def test_a_title_is_part_of_one_sentence_in_its_own_letters(said: list[str]):
    """White space is folded; nothing else is changed or put in front."""
    whole = [" ".join(each.split()) for each in said]
    for title in (title_of(said), title_of_fix(said)):
        assert len(title) <= SENTENCE_CHARACTERS_MAX
        assert any(title in each for each in whole)
