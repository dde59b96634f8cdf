"""Spans of time as people write them."""

import time
from collections.abc import Callable, Iterator
from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from palimp_daemon.features.memories.time_span import as_of_ms


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
