"""Texts that are nearly the same, and whether they say the same."""

import pytest

from palimp_daemon.search.differences import say_the_same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The limit is 20 rows.", "The limit is 30 rows."),
        ("We support Python 3.11.", "We support Python 3.12."),
        ("We use Redis for this.", "We do not use Redis for this."),
        ("We don't cache it.", "We do cache it."),
        ("call get_user first", "call get_users first"),
        ("call getUser first", "call getUsers first"),
        ("edit src/a.py", "edit src/b.py"),
        ("x >= y", "x <= y"),
        ("the API answers", "the CLI answers"),
    ],
)
def test_a_number_a_version_a_negation_an_identifier_make_another_text(one, other):
    assert not say_the_same(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("We use Redis for this queue.", "For this queue we use Redis"),
        ("The limit is 20 rows, always.", "Always: the limit is 20 rows."),
        ("It doesn’t cache.", "It doesn't cache!"),
    ],
)
def test_other_words_and_marks_do_not(one, other):
    assert say_the_same(one, other)
