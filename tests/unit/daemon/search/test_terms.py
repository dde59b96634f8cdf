"""Any text becomes terms that can be searched for."""

from datetime import date

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.search.terms import TERMS_READ_MAX, match_expression, parse_query
from palimp_daemon.search.version_words import day_word, version_terms


def terms(text: str) -> list[str]:
    return parse_query(text).terms


def test_stop_words_and_verbs_of_questions_are_left_out():
    """What remains says what is meant."""
    assert terms("Why did we use queues for the wire?") == ["queues", "wire"]


def test_nor_are_words_that_say_nothing_in_another_language_looked_for():
    """By no form of theirs."""
    assert terms("Warum werden die Rechnungen nicht nachts erzeugt?") == ["rechnungen", "nachts", "erzeugt"]
    assert terms("Почему мы решили, чтобы логи хранились неделю?") == ["реш", "лог", "хран", "недел"]


@pytest.mark.parametrize(
    ("text", "is_tried"),
    [("4 bowls", True), ("bowls of 4.1 litres", False), ("bowl-4/lid", False), ("release v1.4", False)],
)
def test_a_number_is_tried_in_words_where_it_is_no_part_of_a_version(text: str, *, is_tried: bool):
    assert ("four" in parse_query(text).spellings) is is_tried


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("who's on call", ["call"]),
        ("Maria’s rollout", ["maria", "rollout"]),
        ("why doesn't it retry, and wouldn't they've stopped", ["retry", "stopped"]),
        ("wo ist Anna's Export", ["anna", "export"]),
        ("the 's' flag of O'Brien", ["s", "flag", "o", "brien"]),
    ],
)
def test_what_speech_shortens_is_no_word(text: str, expected: list[str]):
    assert terms(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("how many bowls", ["bowls"]),
        ("How often do we fire?", ["fire"]),
        ("wie viele Schalen", ["schalen"]),
        ("cuántos cuencos", ["cuencos"]),
        ("сколько чаш", ["чаш"]),
        ("what did we decide about the kiln", ["kiln"]),
        ("what is known about bowls?", ["bowls"]),
        ("was haben wir zu Schalen beschlossen", ["schalen"]),
        ("qué decidimos sobre los cuencos", ["cuencos"]),
        ("what did we decide about bowls in the kiln", ["decide", "bowls", "kiln"]),
        ("what is known", ["know"]),
        ("how many bowls does the kiln hold", ["many", "bowls", "kiln", "hold"]),
        ("how many", ["many"]),
        ("as many bowls", ["many", "bowls"]),
    ],
)
def test_a_question_for_one_thing_searches_for_that(text: str, expected: list[str]):
    assert terms(text) == expected


def test_a_query_of_one_shortened_word_searches_for_it():
    assert terms("don't")


def test_a_query_of_stop_words_only_searches_for_them():
    """Rather than finding nothing."""
    assert terms("to be or not to be") == ["to", "be", "or", "not"]
    assert terms("how does it work") == ["work"]


@pytest.mark.parametrize("text", ["?! -- __ *", "│──┤", "", "   ", '""'])
def test_a_query_without_words_has_none(text: str):
    """Punctuation and the pieces of frames are not searched for."""
    assert parse_query(text)[:3] == ([], [], [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("getUserName", ["getusername", "get user name", "get", "user", "name"]),
        ("user_name", ["user name", "user", "name"]),
        ("os.path", ["os path", "os", "path"]),
        ("src/app/main.py", ["src app main py", "src", "app", "main", "py"]),
        ("v8.51.0", [*version_terms("8.51.0"), "v8 51 0", "v8"]),
        ("HTTPServer", ["httpserver", "http server", "http", "server"]),
        ("well-known", ["well", "know"]),
        ("日本", ["日本", "日 本"]),
        ("chosen", ["choose"]),
        ("utf-8", ["utf 8", "utf", "8"]),
        ("on 2026-11-22", ["2026 11 22", "2026", "11", "22", day_word(date(2026, 11, 22))]),
    ],
)
def test_identifiers_are_cut_and_kept_whole(text: str, expected: list[str]):
    """The whole as a phrase, then its parts."""
    assert terms(text) == expected


def test_a_quoted_phrase_must_occur():
    """One quoted word is a word like others."""
    assert parse_query('who said "Not on my watch" to Ann')[:3] == (["say", "ann"], ["not on my watch"], [])
    assert parse_query('the "daemon" stops')[:3] == (["daemon", "stops"], [], [])


def test_a_pasted_text_does_not_become_a_thousand_terms():
    """What is looked at is bounded; the plan then takes the rarest."""
    assert len(terms(" ".join(f"word{number}" for number in range(5_000)))) == TERMS_READ_MAX


def test_every_term_is_quoted():
    """So no word is an operator."""
    assert match_expression(["near", "snake case"]) == '"near" OR "snake case"'
    assert match_expression(["x"], ["a b"]) == '("a b") AND ("a b" OR "x")'
    assert match_expression([], ["a b", "c d"]) == '"a b" AND "c d"'


@given(st.text(max_size=200))
def test_no_text_becomes_a_syntax_error(text: str):
    """The expression of any text is accepted by SQLite."""
    query = parse_query(text)
    expression = match_expression(query.terms, query.required)
    db = apsw.Connection(":memory:")
    db.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
    if expression:
        db.execute("SELECT count(*) FROM words WHERE words MATCH ?", (expression,)).fetchall()
