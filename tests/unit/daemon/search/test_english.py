"""Which words are English ones."""

import pytest

from palimp_daemon.search.english import is_english


@pytest.mark.parametrize("word", ["house", "scheme", "calculate", "newest"])
def test_a_frequent_word_is_english(word: str):
    assert is_english(word)


@pytest.mark.parametrize("word", ["gatway", "deamon", "##ing", "ing\nthe", "[PAD]", "", "straße"])
def test_a_slip_or_a_piece_of_a_word_is_not(word: str):
    assert not is_english(word)
