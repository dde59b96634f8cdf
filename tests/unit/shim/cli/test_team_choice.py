"""Which of the numbered memories a person names at `palimp team share --ask`."""

import pytest

from palimp_shim.cli.team_choice import numbers_in


@pytest.mark.parametrize(
    ("typed", "numbers"),
    [("", []), ("\n", []), ("2 5-7", [2, 5, 6, 7]), ("3,1, 3", [1, 3]), ("9-9", [9]), (" 1 ", [1])],
)
def test_numbers_and_ranges_are_named_with_spaces_or_commas(typed, numbers) -> None:
    assert numbers_in(typed, 9) == numbers


@pytest.mark.parametrize("typed", ["0", "10", "7-5", "5-", "one", "1 2 x", "-3", "1-99999999", "m1rv7je2"])
def test_anything_else_is_asked_again(typed) -> None:
    assert numbers_in(typed, 9) is None
