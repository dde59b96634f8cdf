"""Spans of time as people write them."""

import time
from collections.abc import Callable, Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from palimp_daemon.features.memories.time_span import as_of_ms, span_of
from palimp_protocol.errors import PalimpError


@pytest.fixture
def in_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], ZoneInfo]]:
    """Make the user's time zone that of a place."""

    def move(name: str) -> ZoneInfo:
        monkeypatch.setenv("TZ", name)
        time.tzset()
        return ZoneInfo(name)

    yield move
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(
    ("zone", "day", "following"),
    [
        ("Europe/Zurich", "2026-03-29", (2026, 3, 30)),  # 23 hours
        ("Europe/Zurich", "20261025", (2026, 10, 26)),  # 25 hours
        ("Asia/Kathmandu", "2026-02-28", (2026, 3, 1)),
    ],
)
def test_a_day_ends_with_the_calendar(in_zone, zone: str, day: str, following: tuple[int, int, int]):
    end = datetime(*following, tzinfo=in_zone(zone)).timestamp() * 1000
    assert as_of_ms(day, 0) == int(end)


def test_a_time_is_that_moment(in_zone):
    moment = datetime(2026, 3, 29, 12, tzinfo=in_zone("Europe/Zurich")).timestamp() * 1000
    assert as_of_ms("2026-03-29T12:00", 0) == int(moment)
    assert as_of_ms("2d", 200_000_000) == 200_000_000 - 2 * 86_400_000


def test_the_last_day_of_the_calendar_has_an_end(in_zone):
    in_zone("UTC")
    assert as_of_ms("9999-12-31", 0) > as_of_ms("9999-12-30", 0)


NOON_MS = int(datetime(2026, 11, 28, 12, tzinfo=ZoneInfo("UTC")).timestamp() * 1000)
"""A Saturday."""


def days(since: str | None, until: str | None, zone: str) -> tuple[str, str]:
    """Return the bounds of a span as times in *zone*."""
    bounds = span_of(since, until, NOON_MS, ZoneInfo(zone))
    begin, end = (datetime.fromtimestamp(each / 1000, ZoneInfo(zone)).strftime("%Y-%m-%d %H:%M") for each in bounds)
    return begin, end


@pytest.mark.parametrize("zone", ["Asia/Kolkata", "America/St_Johns", "Pacific/Kiritimati", "Pacific/Pago_Pago"])
def test_a_day_is_one_of_the_callers_calendar(zone: str):
    """The same that a list shows it under."""
    assert days("2026-11-27", "2026-11-28", zone) == ("2026-11-27 00:00", "2026-11-28 00:00")
    assert as_of_ms("2026-11-27", NOON_MS, ZoneInfo(zone)) == span_of("2026-11-28", None, NOON_MS, ZoneInfo(zone))[0]


@pytest.mark.parametrize(
    ("since", "until", "begin", "end"),
    [
        ("yesterday", "today", "2026-11-27", "2026-11-28"),
        ("last week", "this week", "2026-11-16", "2026-11-23"),
        ("vorgestern", "gestern", "2026-11-26", "2026-11-27"),
        ("Since yesterday", "2026-11-28", "2026-11-27", "2026-11-28"),
    ],
)
def test_a_time_may_be_said_in_words_as_in_a_question(since: str, until: str, begin: str, end: str):
    assert days(since, until, "Europe/Zurich") == (f"{begin} 00:00", f"{end} 00:00")


@pytest.mark.parametrize(("said", "short"), [("36 hours", "36h"), ("1 day", "1d"), ("6 Weeks", "6w"), ("2years", "2y")])
def test_a_span_may_have_its_units_whole(said: str, short: str):
    assert span_of(said, None, NOON_MS) == span_of(short, None, NOON_MS)


@pytest.mark.parametrize("text", ["soon", "yesterday's retries", "the latest", "2026-13-01", "why did we drop redis"])
def test_what_says_no_time_or_more_than_one_is_refused(text: str):
    with pytest.raises(PalimpError, match="no time"):
        span_of(text, None, NOON_MS)
