"""The user's time zone, with its summer times."""

import time
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.runtime.local_zone import LOCAL_ZONE


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Iterator[None]:
    """A process in the zone that the test asks for."""
    monkeypatch.setenv("TZ", request.param)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize("zone", ["Europe/Berlin"], indirect=True)
@pytest.mark.usefixtures("zone")
def test_summer_and_winter_have_their_own_offsets() -> None:
    summer, winter = datetime(2026, 7, 1, 12, tzinfo=UTC), datetime(2026, 1, 1, 12, tzinfo=UTC)
    assert summer.astimezone(LOCAL_ZONE).hour == 14
    assert winter.astimezone(LOCAL_ZONE).hour == 13
    assert datetime(2026, 7, 1, tzinfo=LOCAL_ZONE).astimezone(UTC) == datetime(2026, 6, 30, 22, tzinfo=UTC)


@pytest.mark.parametrize("zone", ["UTC", "America/St_Johns", "Pacific/Kiritimati", "Asia/Kathmandu"], indirect=True)
@pytest.mark.usefixtures("zone")
def test_any_moment_comes_back_from_the_zone() -> None:
    @given(st.datetimes(datetime(1971, 1, 1), datetime(2036, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001
    def check(moment: datetime) -> None:
        assert abs((moment.astimezone(LOCAL_ZONE).astimezone(UTC) - moment).total_seconds()) in (0, 3600)

    check()


def test_the_ends_of_the_calendar_have_an_offset_too() -> None:
    for year in (1, 9998):
        assert datetime(year, 6, 1, tzinfo=LOCAL_ZONE).utcoffset() is not None
