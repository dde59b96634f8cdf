"""The time zone of whoever is answered."""

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from palimp_daemon.render.times import date, date_and_time
from palimp_daemon.runtime.caller_zone import OWN, answered_zone, answering_in, zone_called
from palimp_daemon.runtime.local_zone import LOCAL_ZONE

EVENING_MS = 1_795_723_200_000
"""2026-11-26, 20:00 in UTC."""


@pytest.mark.parametrize("name", ["", OWN, "Nowhere/At_All", "../../etc/passwd", "+53", "+9999999", "\0", "Europe"])
def test_without_a_zone_that_is_known_it_is_this_process(name: str):
    assert zone_called(name) is LOCAL_ZONE


def test_a_zone_has_a_name_or_an_offset():
    assert zone_called("Asia/Kolkata") == ZoneInfo("Asia/Kolkata")
    for name, minutes in (("+0530", 330), ("-0330", -210), ("+0000", 0)):
        assert datetime.now(zone_called(name)).utcoffset() == timedelta(minutes=minutes)


def test_dates_of_an_answer_are_the_callers():
    with answering_in("Pacific/Auckland"):
        assert date(EVENING_MS) == "2026-11-27"
        with answering_in("America/Los_Angeles"):
            assert date_and_time(EVENING_MS) == "2026-11-26 12:00"
        assert date_and_time(EVENING_MS) == "2026-11-27 09:00"
    assert answered_zone() is LOCAL_ZONE


def test_a_time_that_no_calendar_has_takes_no_answer_along():
    with answering_in("Asia/Kolkata"):
        assert date(2**53) == "undated"
