"""Which words are English ones."""

import pytest

from palimp_daemon.search.english import is_english


@pytest.mark.parametrize("word", ["house", "scheme", "calculate", "newest"])
def test_a_frequent_word_is_english(word: str):
    assert is_english(word)


@pytest.mark.parametrize("word", ["gatway", "deamon", "##ing", "ing\nthe", "[PAD]", "", "straße"])
def test_a_slip_or_a_piece_of_a_word_is_not(word: str):
    assert not is_english(word)


@pytest.mark.parametrize("word", ["stitching", "stitched", "caching", "flapping", "planned", "folders", "carrying"])
def test_a_regular_form_of_a_frequent_word_is_english(word: str):
    assert is_english(word)


@pytest.mark.parametrize("word", ["stageing", "flaping", "shiping", "carryed", "supplyer", "statss"])
def test_what_no_rule_makes_of_a_word_is_a_slip(word: str):
    assert not is_english(word)
