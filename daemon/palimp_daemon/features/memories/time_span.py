"""Spans of time: a day, a time, an age, or words ("last week"), in the caller's zone."""

import re
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Final, NamedTuple

from palimp_daemon.runtime.local_zone import LOCAL_ZONE
from palimp_protocol.errors import RequestError

NEVER_MS: Final = 2**53
"""Later than every memory."""

_AGO: Final = re.compile(r"(\d{1,4})\s*(?:([hdwmy])|(hour|day|week|month|year)s?)")
_DAY: Final = re.compile(r"\d{4}-?\d{2}-?\d{2}")
_UNIT_DAYS: Final = {"h": 1 / 24, "d": 1, "w": 7, "m": 30.4375, "y": 365.25}


class _Span(NamedTuple):
    """A half-open span; empty for a moment."""

    begin: int
    end: int


def span_of(since: str | None, until: str | None, now_ms: int, zone: tzinfo = LOCAL_ZONE) -> tuple[int, int]:
    """Return where *since* and *until* begin, Unix milliseconds; 0 and NEVER_MS for None.

    Raises:
        PalimpError: one is no time, or they are in the wrong order.
    """
    begin = _read("since", since, now_ms, zone).begin if since else 0
    end = _read("until", until, now_ms, zone).begin if until else NEVER_MS
    if begin >= end:
        raise RequestError("`since` must be earlier than `until`.", "Swap them.")
    return begin, end


def as_of_ms(as_of: str, now_ms: int, zone: tzinfo = LOCAL_ZONE) -> int:
    """Return *as_of* in Unix milliseconds; of a day, or a longer time, its end.

    Raises:
        PalimpError: it is no time.
    """
    return _read("as_of", as_of, now_ms, zone).end


def _read(name: str, text: str, now_ms: int, zone: tzinfo) -> _Span:
    said = text.strip()
    if ago := _AGO.fullmatch(said.lower()):
        moment = now_ms - int(timedelta(days=int(ago[1]) * _UNIT_DAYS[(ago[2] or ago[3])[0]]).total_seconds() * 1000)
        return _Span(moment, moment)
    try:
        return _on_calendar(said, zone)
    except (ValueError, OverflowError, OSError):  # the first and the last days of the calendar have no neighbours
        pass
    if (span := _in_words(said, now_ms, zone)) is None:
        hint = "Such as 2026-11-01, 7d, 4w, 3m, yesterday, last week."
        raise RequestError(f"{name}: {text!r} is no time that is understood.", hint)
    return span


def _on_calendar(text: str, zone: tzinfo) -> _Span:
    if not _DAY.fullmatch(text):
        moment = _ms(datetime.fromisoformat(text), zone)
        return _Span(moment, moment)
    day = date.fromisoformat(text)
    begin = _ms(datetime.combine(day, time.min), zone)
    try:  # of the calendar: a day has 23 or 25 hours where the clocks are changed
        return _Span(begin, _ms(datetime.combine(day + timedelta(days=1), time.min), zone))
    except (OverflowError, ValueError, OSError):  # the last day of the calendar
        return _Span(begin, begin + 86_400_000)


def _ms(moment: datetime, zone: tzinfo) -> int:
    return int((moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(UTC).timestamp() * 1000)


def _in_words(text: str, now_ms: int, zone: tzinfo) -> _Span | None:
    # Read with the first question: a daemon starts without the languages.
    from palimp_daemon.text.times.window import window_in  # noqa: PLC0415

    window = window_in(text, datetime.fromtimestamp(now_ms / 1000, zone))
    if window is None or not window.phrase or window.rest.strip():
        return None
    return _Span(window.begin_ms, min(window.end_ms, NEVER_MS))
