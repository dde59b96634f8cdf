"""The table of related words, as it is installed and as it is read."""

import subprocess
import sys
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
import Stemmer
from hypothesis import example, given
from hypothesis import strategies as st

from palimp_daemon.search.related_words import (
    FORMAT,
    RELATED_MAX,
    WORD_CHARACTERS_MAX,
    RelatedWords,
    packaged_table,
    related_words,
)
from palimp_daemon.search.terms import STOP_WORDS

FILE = Path(__file__).parents[4] / "daemon/palimp_daemon/search/related_words.bin"
CONTENT = FILE.read_bytes()


@cache
def everything() -> dict[str, list[tuple[str, float]]]:
    """Return all of the table; half a second, which only the tests that need it take."""
    return {word: packaged_table().of(word) for word in packaged_table()}


@pytest.mark.parametrize(
    ("word", "other"),
    [("picture", "photo"), ("buyer", "purchase"), ("login", "password"), ("delete", "remove"), ("money", "cash")],
)
def test_a_word_has_others_that_are_used_for_it(word: str, other: str):
    assert other in dict(related_words(word))


def test_the_nearest_come_first_and_there_are_few():
    assert len(everything()) > 20_000
    for found in everything().values():
        assert len(found) <= RELATED_MAX
        assert all(nearer[1] >= farther[1] for nearer, farther in pairwise(found))
        assert all(0.0 < cosine <= 1.0 for _, cosine in found)


def test_two_words_are_as_near_from_either_side():
    """Each has a bound of its own, so that one may have the other and not be among its nearest."""
    table = {word: dict(found) for word, found in everything().items()}
    for word, found in table.items():
        for other, cosine in found.items():
            assert table[other].get(word, cosine) == cosine


def test_no_word_is_related_to_itself_or_to_a_form_of_itself():
    """The index finds those anyway."""
    stem = Stemmer.Stemmer("porter").stemWord
    for word, found in everything().items():
        stems = [stem(other) for other, _ in found]
        assert stem(word) not in stems
        assert len(set(stems)) == len(stems)


def test_what_nobody_means_by_another_is_not_related_to_it():
    for word in ("january", "friday", "three", "first"):
        assert related_words(word) == []
    assert not STOP_WORDS & everything().keys()


@given(st.text())
@example("Picture")
@example("get_user")
@example("utf8")
@example("naïve")
@example("写真")
@example("a" * (WORD_CHARACTERS_MAX + 1))
@example("picture\n")
@example("\ud800")
@example("")
def test_any_text_may_be_looked_up(text: str):
    """What is not a common English word in lower case has none."""
    found = related_words(text)
    assert found == everything().get(text, [])


@pytest.mark.parametrize(
    "changed",
    [
        lambda content: b"",
        lambda content: content[:-1],
        lambda content: content[:12],
        lambda content: content[:-1] + bytes([content[-1] ^ 1]),
        lambda content: content[:14] + bytes([content[14] ^ 1]) + content[15:],
        lambda content: FORMAT[:-1] + b"2" + content[len(FORMAT) :],
    ],
)
def test_a_table_that_is_not_whole_or_has_another_format_is_empty(changed: Callable[[bytes], bytes]):
    assert RelatedWords(CONTENT).of("picture")
    table = RelatedWords(changed(CONTENT))
    assert (len(table), table.of("picture")) == (0, [])


def test_the_daemon_does_not_read_the_table_before_a_word_is_looked_up():
    code = (
        "import palimp_daemon.search.related_words as module; assert not module.packaged_table.cache_info().currsize;"
        " module.related_words('picture'); assert module.packaged_table.cache_info().currsize"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_file_is_small_enough_to_be_shipped():
    assert len(CONTENT) < 1_100_000
