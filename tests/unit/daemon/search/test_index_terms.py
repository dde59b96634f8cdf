"""What is indexed besides the text."""

import datetime

import pytest

from palimp_daemon.search.identifiers import camel_parts, hidden_words
from palimp_daemon.search.index_terms import extra_words
from palimp_daemon.search.irregular_forms import BASE_FORMS, base_form
from palimp_daemon.search.version_words import day_word

NOON_MS = 1_763_726_400_000
"""2025-11-21T12:00:00Z, a Friday in every time zone but the last ones."""


def test_base_forms_names_and_the_date_are_added():
    """And the title where it was taken from the text."""
    words = extra_words("We chose getName", "We chose getName. It was late.", NOON_MS).split()

    assert {"choose", "get", "name", day_word(datetime.date(2025, 11, 21))} <= set(words)
    assert words[-3:] == ["We", "chose", "getName"]


def test_a_title_of_its_own_is_not_repeated():
    """It has a column."""
    assert "Otters" not in extra_words("Otters", "About water.", NOON_MS)


def test_a_date_is_no_word_that_anybody_asks_for():
    """No weekday, month or year: these are names of other things, too."""
    assert not {"2025", "november", "friday"} & set(extra_words("", "text", NOON_MS).split())


@pytest.mark.parametrize(
    ("word", "parts"),
    [
        ("getUserName", ["get", "user", "name"]),
        ("GitHub", ["git", "hub"]),
        ("plain", []),
        ("OK", []),
        ("macOS", ["mac"]),
    ],
)
def test_camel_case_is_cut(word: str, parts: list[str]):
    """Pieces of one or two letters are left out."""
    assert camel_parts(word) == parts


def test_scripts_without_spaces_are_cut_into_characters():
    """So that a part of a run is found."""
    assert hidden_words("label 日本語") == ["日", "本", "語"]


def test_no_base_form_is_irregular_itself():
    """Else two forms of one word would not meet."""
    assert not BASE_FORMS.keys() & set(BASE_FORMS.values())
    assert base_form("wrote") == "write"
    assert base_form("table") == "table"
