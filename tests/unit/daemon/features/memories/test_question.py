"""What a question asks for besides its words."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.features.memories.question import Question, question_of
from palimp_daemon.text.memory_kinds import KINDS_CALLED_DECISION
from palimp_protocol.messages.memory_messages import Recall

NOW_MS = int(datetime(2026, 10, 20, 10, tzinfo=UTC).timestamp() * 1000)


@pytest.fixture(autouse=True)
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A user in UTC."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def asked(text: str, **more: str) -> Question:
    return question_of(Recall(query=text, **more), NOW_MS)  # pyright: ignore[reportArgumentType]


def day(month: int, number: int) -> int:
    return int(datetime(2026, month, number, tzinfo=UTC).timestamp() * 1000)


def test_a_question_about_a_time_lists_what_was_noted_then() -> None:
    question = asked("What did we decide last week?")
    assert question.text == ""
    assert question.noted == (day(10, 12), day(10, 19))
    assert question.kinds == KINDS_CALLED_DECISION
    assert "2026-10-12 to 2026-10-18" in question.read_as


def test_a_question_about_what_held_then_filters_nothing() -> None:
    question = asked("What was the free shipping limit in July?")
    assert question.noted is None
    assert question.held_at == day(8, 1)
    assert "2026-07-01 to 2026-07-31" in question.read_as


def test_what_held_until_a_month_is_sought_before_its_end() -> None:
    question = asked("Who did the production deployments until May?")
    assert question.held_at == day(5, 1)


def test_the_latest_of_a_kind_is_an_order() -> None:
    question = asked("most recent fix")
    assert (question.text, question.kinds, question.order, question.read_as) == ("", ("fix",), "newest", "")


def test_a_question_for_the_past_keeps_the_order_of_what_answers() -> None:
    assert asked("What did we use for payments before Adyen?").is_past
    assert not asked("Which payment provider do we use?").is_past


@pytest.mark.parametrize("name", ["since", "until", "as_of"])
def test_what_is_said_by_arguments_is_not_read_from_the_words(name: str) -> None:
    assert asked("What did we decide last week?", **{name: "2026-01-01"}) == Question("What did we decide last week?")


@given(st.text(max_size=300))
def test_any_words_can_be_asked(text: str) -> None:
    question = question_of(Recall(query=text), NOW_MS)
    assert question.noted is None or question.noted[0] < question.noted[1]


def test_what_the_answer_says_of_a_question_is_nothing_where_no_time_was_read() -> None:
    assert asked("most recent fix").notes == []
    assert asked("What did we decide last week?").notes == [asked("What did we decide last week?").read_as]


@pytest.mark.parametrize(
    ("text", "is_of_past"),
    [
        ("since when do we use Redis?", True),
        ("which cache did we have in July?", True),
        ("the newest decision about the cache", True),
        ("which cache do we use?", False),
    ],
)
def test_what_is_newer_passes_nothing_where_another_time_is_asked_for(text: str, is_of_past: bool) -> None:
    assert asked(text).is_of_past is is_of_past
