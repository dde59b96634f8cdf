"""Texts become the numbers that BERT's tokenizer gives (checked against the reference implementation)."""

import pytest

from palimp_daemon.embedding.worker.wordpiece import CLS, SEP, UNKNOWN, token_numbers, vocabulary


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("Hello, world!", ["hello", ",", "world", "!"]),
        ("naïve CAFÉ", ["naive", "cafe"]),
        ("unaffable", ["una", "##ffa", "##ble"]),
        ("snake_case", ["snake", "_", "case"]),
        ("日本", ["日", "本"]),
        ("", []),
    ],
)
def test_words_are_cut_into_known_pieces(text: str, pieces: list[str]):
    """Lower case, without accents, longest pieces first."""
    known = vocabulary()

    assert token_numbers(text, 64) == [CLS, *(known[piece] for piece in pieces), SEP]


def test_an_unknown_or_endless_word_is_one_number():
    """As in BERT."""
    assert token_numbers("x" * 101, 64) == [CLS, UNKNOWN, SEP]
    assert token_numbers("\U0001f9a6", 64) == [CLS, UNKNOWN, SEP]


def test_a_long_text_is_cut():
    """And still ends with SEP."""
    numbers = token_numbers("word " * 500, 32)

    assert len(numbers) == 32
    assert (numbers[0], numbers[-1]) == (CLS, SEP)
