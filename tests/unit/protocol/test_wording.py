"""How a number of things is said."""

import pytest

from palimp_protocol.text import count_of


@pytest.mark.parametrize(
    ("count", "noun", "said"),
    [
        (0, "memory", "0 memories"),
        (1, "memory", "1 memory"),
        (1_000, "memory", "1,000 memories"),
        (1, "turn", "1 turn"),
        (2, "turn", "2 turns"),
    ],
)
def test_one_is_not_many(count: int, noun: str, said: str):
    assert count_of(count, noun) == said
