"""Spans of time as people write them: a day, a time, or how long ago."""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Final

from palimp_protocol.errors import ErrorCode, PalimpError

NEVER_MS: Final = 2**53
"""Later than every memory."""

_SPAN: Final = re.compile(r"(\d{1,4})\s*([hdwmy])")
_DAY: Final = re.compile(r"\d{4}-?\d{2}-?\d{2}")
_DAY_MS: Final = 86_400_000
_UNIT_DAYS: Final = {"h": 1 / 24, "d": 1, "w": 7, "m": 30.4375, "y": 365.25}


def span_of(since: str | None, until: str | None, now_ms: int) -> tuple[int, int]:
    """Return *since* and *until* in Unix milliseconds; 0 and NEVER_MS where they are not given.

    Raises:
        PalimpError: one of them is no day and no span, or they are the wrong way round.
    """
    begin = _moment("since", since, now_ms) if since else 0
    end = _moment("until", until, now_ms) if until else NEVER_MS
    if begin >= end:
        raise PalimpError(ErrorCode.BAD_REQUEST, "`since` must be earlier than `until`.", "Swap them.")
    return begin, end


def as_of_ms(as_of: str, now_ms: int) -> int:
    """Return the moment *as_of* in Unix milliseconds: of a day, its end.

    Raises:
        PalimpError: it is no day and no span.
    """
    moment = _moment("as_of", as_of, now_ms)
    if not _DAY.fullmatch(as_of.strip()):
        return moment
    try:  # of the calendar: a day has 23 or 25 hours where the clocks are changed
        return _moment("as_of", (date.fromisoformat(as_of.strip()) + timedelta(days=1)).isoformat(), now_ms)
    except (OverflowError, PalimpError):  # the last day of the calendar
        return moment + _DAY_MS


def _moment(name: str, text: str, now_ms: int) -> int:
    """Return the beginning of the local day that *text* names, or the moment so long ago."""
    if span := _SPAN.fullmatch(text.strip().lower()):
        return now_ms - int(timedelta(days=int(span[1]) * _UNIT_DAYS[span[2]]).total_seconds() * 1000)
    try:
        day = datetime.fromisoformat(text.strip())
        return int((day if day.tzinfo else day.astimezone()).astimezone(UTC).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):  # the first and the last days of the calendar have no neighbours
        raise PalimpError(
            ErrorCode.BAD_REQUEST, f"{name}: {text!r} is no day and no span.", "Such as 2026-11-01, or 7d, 4w, 3m."
        ) from None
