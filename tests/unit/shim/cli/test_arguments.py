"""What a person answers at the terminal."""

import io

import pytest

from palimp_shim.cli.arguments import has_said_yes


@pytest.mark.parametrize(
    ("said", "of_undoable", "of_others"),
    [("y\n", True, False), ("Yes\n", True, True), ("n\n", False, False), ("\n", False, False), ("", False, False)],
)
def test_a_letter_is_enough_for_what_can_be_undone(
    monkeypatch: pytest.MonkeyPatch, said: str, of_undoable: bool, of_others: bool
):
    for can_be_undone, expected in ((True, of_undoable), (False, of_others)):
        monkeypatch.setattr("sys.stdin", io.StringIO(said))
        assert has_said_yes("Go?", can_be_undone=can_be_undone) is expected
