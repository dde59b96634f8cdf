"""A point of time is read at the word where it begins, in the word order of each language, as of today."""

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.text.times.phrases import Phrases
from palimp_daemon.text.times.points import Point, Points
from palimp_daemon.text.times.question_words import words_of
from palimp_daemon.text.times.time_words import phrases_of, times

TODAY = date(2026, 7, 15)  # a Wednesday


def point(question: str, language: str = "english", at: int = 0, today: date = TODAY) -> Point | None:
    """Return the point that begins at a word of *question*."""
    return Points(Phrases(words_of(question), language), today).at(at)


def days(question: str, language: str = "english") -> tuple[date | None, date | None]:
    """Return the first day of the point that *question* begins with, and the day after its last."""
    found = point(question, language)
    assert found, question
    return found.span.begin, found.span.end


@pytest.mark.parametrize(
    ("question", "language", "first", "after"),
    [
        ("yesterday", "english", date(2026, 7, 14), date(2026, 7, 15)),
        ("last week", "english", date(2026, 7, 6), date(2026, 7, 13)),
        ("semana pasada", "spanish", date(2026, 7, 6), date(2026, 7, 13)),
        ("semaine dernière", "french", date(2026, 7, 6), date(2026, 7, 13)),
        ("letzte Woche", "german", date(2026, 7, 6), date(2026, 7, 13)),
        ("this month", "english", date(2026, 7, 1), date(2026, 8, 1)),
        ("27 May", "english", date(2026, 5, 27), date(2026, 5, 28)),
        ("May 27th", "english", date(2026, 5, 27), date(2026, 5, 28)),
        ("27 de mayo", "spanish", date(2026, 5, 27), date(2026, 5, 28)),
        ("27 May 2024", "english", date(2024, 5, 27), date(2024, 5, 28)),
        ("August", "english", date(2025, 8, 1), date(2025, 9, 1)),
        ("July 2025", "english", date(2025, 7, 1), date(2025, 8, 1)),
        ("last July", "english", date(2025, 7, 1), date(2025, 8, 1)),
        ("juillet dernier", "french", date(2025, 7, 1), date(2025, 8, 1)),
        ("2026-05-27", "english", date(2026, 5, 27), date(2026, 5, 28)),
        ("27.5.", "german", date(2026, 5, 27), date(2026, 5, 28)),
        ("week of 6 July", "english", date(2026, 7, 6), date(2026, 7, 13)),
        ("first week of June", "english", date(2026, 6, 1), date(2026, 6, 8)),
        ("second week of May", "english", date(2026, 5, 8), date(2026, 5, 18)),
        ("last week of June", "english", date(2026, 6, 22), date(2026, 7, 1)),
        ("ersten Woche im Juni", "german", date(2026, 6, 1), date(2026, 6, 8)),
        ("primera semana de junio", "spanish", date(2026, 6, 1), date(2026, 6, 8)),
        ("première semaine de juin", "french", date(2026, 6, 1), date(2026, 6, 8)),
        ("07-02", "english", date(2026, 7, 2), date(2026, 7, 3)),
        ("12-24", "german", date(2025, 12, 24), date(2025, 12, 25)),
        ("first quarter", "english", date(2026, 1, 1), date(2026, 4, 1)),
        ("2025", "english", date(2025, 1, 1), date(2026, 1, 1)),
        ("Monday", "english", date(2026, 7, 13), date(2026, 7, 14)),
    ],
)
def test_a_point_is_the_days_that_its_words_mean(question, language, first, after):
    """What has no year is the last one that there was."""
    assert days(question, language) == (first, after)


def test_a_part_of_a_span_lies_in_it():
    """The beginning before the end, and both in the span."""
    begin, whole, end = days("beginning of 2025"), days("2025"), days("end of 2025")
    assert begin[0] == whole[0]
    assert end[1] == whole[1]
    assert begin[1] <= end[0]  # type: ignore[operator]


@pytest.mark.parametrize(
    "question",
    ["27.5.", "2099", "the build", "last resort", "beginning of the day", "10-15 rows", "13-40", "first week", ""],
)
def test_what_is_none_in_english_is_no_point(question):
    """A date without a year by dots is a version; a year to come is a port or a number."""
    assert point(question) is None or not question


def test_a_point_says_where_it_ends_and_how_sure_it_is():
    """So that the words behind it are read on, and a bare name is believed only with more."""
    may, last_may = point("may we do that"), point("last may we did that")
    assert may
    assert may.is_name
    assert may.following == 1
    assert last_may
    assert not last_may.is_bare
    assert last_may.following == 2
    leap = point("29 february")
    assert leap
    assert leap.is_name, "a subject of many bugs"
    assert point("today", "english").needs_past  # type: ignore[union-attr]
    assert point("yesterday what happened", at=1) is None


def test_a_day_that_does_not_exist_is_an_error():
    """Whoever reads it takes the words for no time."""
    with pytest.raises(ValueError, match="day"):
        point("31 april 2026")


WORDS = [
    *sorted({word for language in times() for word in phrases_of(language)}),
    "27",
    "2025",
    "5",
    "2026-05-27",
    ",",
]


@given(
    language=st.sampled_from(sorted(times())),
    question=st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join),
    today=st.dates(date(2000, 3, 1), date(2090, 1, 1)),
)
def test_whatever_words_stand_together_a_point_is_of_days_in_order(language, question, today):
    """It has words, its end is behind its beginning, and it begins no later than tomorrow."""
    words = words_of(question)
    points = Points(Phrases(words, language), today)
    for at in range(len(words)):
        try:
            found = points.at(at)
        except ValueError:
            continue
        if found is None:
            continue
        assert at < found.following <= len(words)
        assert found.span.begin
        assert found.span.end is None or found.span.begin < found.span.end
        assert points.at(at) == found, "it is remembered"
        assert found.span.begin <= today + timedelta(7) or any(
            each.text.isdigit() or "-" in each.text for each in words
        )
