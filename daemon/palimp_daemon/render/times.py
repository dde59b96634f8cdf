"""Unix milliseconds as the dates and times that a reader in this time zone expects."""

import time
from datetime import UTC, datetime


def local_time(milliseconds: int) -> datetime:
    """Return the local time of *milliseconds*."""
    return datetime.fromtimestamp(milliseconds / 1000, UTC).astimezone()


def date(milliseconds: int) -> str:
    """Return the date, such as 2026-11-21."""
    return time.strftime("%Y-%m-%d", time.localtime(milliseconds / 1000))  # a sixth of what a datetime takes


def date_and_time(milliseconds: int) -> str:
    """Return date and time to the minute."""
    return f"{local_time(milliseconds):%Y-%m-%d %H:%M}"
