"""What is read of a session becomes turns: whole, without secrets, bounded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_clients.transcripts.turn import (
    CUT,
    EDGE_CHARACTERS,
    REDACTED_CHARACTERS_MAX,
    TURN_CHARACTERS_MAX,
    Piece,
    Turn,
    turn_text,
    turns_of,
)
from palimp_daemon.text.redact import Redactor

SECRET = "AKIA" + "IOSFODNN7ABCDEFG"


def test_pieces_of_one_message_that_follow_one_another_are_one_turn():
    pieces = [
        Piece("user", "a question", 1),
        Piece("assistant", "I look.", 2, "m1"),
        Piece("assistant", "", 3, "m1"),
        Piece("assistant", "It is so.", 4, "m1"),
        Piece("assistant", "Done.", 5, "m2"),
        Piece("assistant", "Done.", 6),
        Piece("assistant", "Done.", 7),
    ]
    assert turns_of(pieces, Redactor()) == [
        Turn("user", "a question", 1),
        Turn("assistant", "I look.\n\nIt is so.", 2),
        Turn("assistant", "Done.", 5),
        Turn("assistant", "Done.", 6),
        Turn("assistant", "Done.", 7),
    ]


def test_what_was_said_between_ends_a_turn():
    pieces = [Piece("assistant", "one", 1, "m"), Piece("user", "wait", 2), Piece("assistant", "two", 3, "m")]
    assert [turn.text for turn in turns_of(pieces, Redactor())] == ["one", "wait", "two"]


def test_of_what_is_private_or_empty_there_is_no_turn():
    pieces = [
        Piece("user", "<private>my salary</private>"),
        Piece("user", " \n"),
        Piece("user", "<private>\nnever ended"),
    ]
    assert turns_of(pieces, Redactor()) == []


def test_what_is_private_goes_and_the_words_around_it_stay():
    assert turn_text("before <private>my salary</private>after", Redactor()) == "before after"


def test_a_secret_is_replaced_and_one_of_the_users_own_patterns_too():
    assert turn_text(f"use {SECRET} for project-hush", Redactor(["project-hush"])) == (
        "use <redacted:aws-key> for <redacted:own>"
    )


def test_of_a_long_turn_the_beginning_and_the_end_are_kept():
    text = turn_text("Look: " + "x y " * TURN_CHARACTERS_MAX + "Fix that.", Redactor())
    assert text.startswith("Look: x y")
    assert text.endswith("x y Fix that.")
    assert CUT in text
    assert len(text) <= TURN_CHARACTERS_MAX


def test_a_secret_at_the_cut_is_known_as_one():
    """It is looked for before anything is cut: half a key is a key's half."""
    for before in range(TURN_CHARACTERS_MAX // 2 - 30, TURN_CHARACTERS_MAX // 2 + 5, 5):
        for behind in (TURN_CHARACTERS_MAX, REDACTED_CHARACTERS_MAX):
            text = turn_text("a " * (before // 2) + SECRET + " b" * behind, Redactor())
            assert "AKIA" not in text


@pytest.mark.parametrize("shift", range(0, len(SECRET), 3))
def test_a_secret_at_the_edge_of_what_is_looked_through_is_not_kept_in_part(shift):
    """The rest of each half is one large secret: else the edge would be too far from what is kept."""
    half = REDACTED_CHARACTERS_MAX // 2
    shrinks = "q" * (half - 9_000)
    filler = "w " * ((half - len(shrinks) - len("Begin. ") - 1 - shift) // 2)
    begins = f"Begin. {shrinks} {filler}"
    edge = SECRET + " z" * half + SECRET
    behind = " z" * ((half - len(shrinks) - len(" End.") - shift) // 2)
    text = turn_text(f"{begins}{edge}{behind} {shrinks} End.", Redactor(["q{1000}q*"]))
    assert text.startswith("Begin. <redacted:own> w w")
    assert text.endswith("z z <redacted:own> End.")
    assert not any(SECRET[at : at + 4] in text for at in range(len(SECRET) - 3))


def test_a_word_longer_than_the_edge_that_is_cut_through_is_dropped_as_a_whole():
    half = REDACTED_CHARACTERS_MAX // 2
    word = "k" * (2 * EDGE_CHARACTERS)
    text = turn_text(f"Begin. {'q' * (half - 9_000)} {word * 100} End.", Redactor(["q{1000}q*"]))
    assert text == f"Begin. <redacted:own> {CUT} End."


def test_of_a_turn_of_megabytes_what_is_private_goes_though_it_ends_far_behind():
    far = f"begin <private>{'p ' * REDACTED_CHARACTERS_MAX}</private>end {'w ' * REDACTED_CHARACTERS_MAX}{SECRET}"
    text = turn_text(far, Redactor())
    assert text.startswith("begin end w w")
    assert text.endswith("w <redacted:aws-key>")


def test_a_nul_becomes_a_character_that_can_be_stored():
    assert turn_text("a\0b", Redactor()) == "a\ufffdb"


@given(st.text(), st.text(), st.integers(0, 3))
def test_no_text_fails_and_none_is_longer_than_the_bound(one, other, repeats):
    text = turn_text(one + other * (10**repeats), Redactor())
    assert len(text) <= TURN_CHARACTERS_MAX
    assert "\0" not in text
