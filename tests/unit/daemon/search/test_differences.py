"""Texts that are nearly the same, and whether they say the same."""

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.search.differences import say_the_same, says_as_much


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The limit is 20 rows.", "The limit is 30 rows."),
        ("We support Python 3.11.", "We support Python 3.12."),
        ("We use Redis for this.", "We do not use Redis for this."),
        ("We don't cache it.", "We do cache it."),
        ("We don't cache hits, and not misses.", "We do cache hits, and not misses."),
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
        ("We don't cache, it won't help and can't be right.", "We do not cache, it will not help and cannot be right."),
    ],
)
def test_other_words_and_marks_do_not(one, other):
    assert say_the_same(one, other)


def stems(words: Sequence[str]) -> list[str]:
    """Stand in for an engine's stemmer."""
    return [word.removesuffix("s") for word in words]


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("the tests need a running Postgres!", "Tests need a running Postgres."),
        ("Do not commit generated files.", "Don't commit generated files."),
        ("Deploys need the VPN, started with the corp client.", "Deploys need the VPN."),
        ("x = a + b is what we  want", "x = a + b is what\nwe want"),
    ],
)
def test_a_newer_text_may_go_on(newer, older):
    assert says_as_much(newer, older, stems)


@pytest.mark.parametrize(
    ("newer", "older"),
    [
        ("Deploys need the VPN.", "Deploys need the VPN, started with the corp client."),
        ("Service beta calls service alpha.", "Service alpha calls service beta."),
        ("We use Kafka for caching things.", "We use Redis for caching things."),
        ("Integration tests need a running Postgres.", "Tests need a running Postgres."),
        ("It may be missing on orders.", "It must be missing on orders."),
        ("Deploys need VPN and much else that was not known when it was written first here.", "Deploys need VPN."),
        ("x = a - b is what we want", "x = a + b is what we want"),
        ("Later!", "Now!"),
        ("🎉", "🚀"),
    ],
)
def test_what_is_lost_moved_or_put_in_front_keeps_both(newer, older):
    assert not says_as_much(newer, older, stems)


@given(st.text(max_size=60), st.text(max_size=60))
def test_any_two_texts_can_be_compared(one, other):
    assert says_as_much(one, one, stems)
    says_as_much(one, other, stems)
