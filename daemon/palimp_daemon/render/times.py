"""Dates and times in the caller's zone (`runtime.caller_zone`)."""

import time
from datetime import datetime
from typing import Final

from palimp_daemon.runtime.caller_zone import answered_zone
from palimp_daemon.runtime.local_zone import LOCAL_ZONE

UNDATED: Final = "undated"
"""Shown for a time outside the calendar, so that it does not break the answer."""


def local_time(milliseconds: int, form: str) -> str:
    """Format *milliseconds* in the caller's zone by a *form* of strftime(3)."""
    try:
        return datetime.fromtimestamp(milliseconds / 1000, answered_zone()).strftime(form)
    except (OverflowError, ValueError, OSError):
        return UNDATED


def date(milliseconds: int) -> str:
    """Return the date, such as 2026-11-21."""
    if answered_zone() is not LOCAL_ZONE:
        return local_time(milliseconds, "%Y-%m-%d")
    try:
        return time.strftime("%Y-%m-%d", time.localtime(milliseconds / 1000))  # a sixth of what a datetime takes
    except (OverflowError, ValueError, OSError):
        return UNDATED


def date_and_time(milliseconds: int) -> str:
    """Return date and time to the minute."""
    return local_time(milliseconds, "%Y-%m-%d %H:%M")
