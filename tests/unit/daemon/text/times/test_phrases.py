"""The phrases of a question are found at the words where they begin, by what they do."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.text.times.phrases import ARTICLES_MAX, Phrases
from palimp_daemon.text.times.question_words import words_of
from palimp_daemon.text.times.time_words import Role, times


def phrases(question: str, language: str = "english") -> Phrases:
    return Phrases(words_of(question), language)


def test_a_phrase_is_taken_where_it_begins_by_its_role():
    """And says what it means and which word is behind it."""
    found = phrases("since the last week of July")
    assert Role.SINCE in found.roles(0)
    assert found.take(0, Role.MONTH) is None
    july = found.take(5, Role.MONTH)
    assert july
    assert july.phrase.value == 7
    assert july.following == 6
    assert found.has_any({Role.MONTH})
    assert not found.has_any({Role.WEEKDAY, Role.SEASON})


@pytest.mark.parametrize("language", sorted(times()))
def test_behind_the_last_word_there_is_nothing(language):
    """Whatever is asked for there."""
    found = phrases("one two", language)
    assert [found.take(2, role) for role in Role] == [None] * len(Role)
    assert found.skip(2, Role.FILLER) == 2
    assert found.skip(2, Role.FILLER, none=-1) == -1
    assert not found.is_past(2)
    assert not found.is_past(-1)


@pytest.mark.parametrize(("question", "number"), [("12 days", 12), ("two days", 2), ("zwei", None)])
def test_a_number_is_in_digits_or_in_words_of_its_language(question, number):
    taken = phrases(question).number(0)
    assert (taken.phrase.value if taken else None) == number


def test_articles_are_skipped_up_to_a_bound_and_what_is_none_is_not():
    """Two of anything else are not one."""
    assert phrases("of the week").skip(0, Role.FILLER) == 2
    assert phrases("the " * (ARTICLES_MAX + 2)).skip(0, Role.FILLER) == ARTICLES_MAX
    assert phrases("week of").skip(0, Role.FILLER) == 0
    assert phrases("last last week").skip(0, Role.LAST) == 1
    assert phrases("in the july").skip_in(0) == 2


def test_last_and_past_are_skipped_alike():
    """`past` is told apart, since with a number it is a stretch."""
    assert phrases("last week").skip_last(0) == 1
    assert phrases("past week").skip_last(0) == 1
    assert phrases("past week").is_past(0)
    assert not phrases("last week").is_past(0)
    assert phrases("next week").skip_last(0, none=0) == 0


def test_an_article_before_last_makes_a_stretch_in_english_only():
    """`in the last week` is seven days, `last week` a week of the calendar."""
    words = "in the last week"
    assert phrases(words).has_article(1, 2)
    assert not phrases(words, "german").has_article(1, 2)
    assert not phrases("in last week").has_article(0, 1)


@given(st.sampled_from(sorted(times())), st.text(max_size=60))
def test_any_text_has_phrases_within_its_words(language, question):
    """Each ends behind where it begins."""
    found = phrases(question, language)
    for at in range(len(found.words)):
        for role in found.roles(at):
            taken = found.take(at, role)
            assert taken
            assert at < taken.following <= len(found.words)
