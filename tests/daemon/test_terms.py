"""Words of a query."""

from palimp_daemon.search.terms import match_expression, query_words
from palimp_protocol.limits import QUERY_WORDS_MAX


def test_stop_words_are_left_out():
    """What remains says what is meant."""
    assert query_words("Why did we choose ZeroMQ for the wire?") == ["choose", "zeromq", "wire"]


def test_a_query_of_stop_words_only_searches_for_them():
    """Rather than finding nothing."""
    assert query_words("to be or not to be") == ["to", "be", "or", "not"]


def test_a_query_without_words_has_none():
    """Punctuation and pictures are not searched for."""
    assert query_words("?! 👍 -- __ *") == []


def test_each_word_counts_once_and_only_so_many_count():
    """A pasted text does not become a thousand terms."""
    words = query_words(" ".join(f"word{number % 50}" for number in range(1_000)))

    assert len(words) == QUERY_WORDS_MAX == len(set(words))


def test_every_word_is_quoted():
    """So no word is an operator."""
    assert match_expression(["near", "snake_case"]) == '"near" OR "snake_case"'
