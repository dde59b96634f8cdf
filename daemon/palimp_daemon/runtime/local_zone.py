"""The user's time zone, with its summer times, from the operating system.

`datetime.astimezone()` has only one moment's offset.
"""

import time
from datetime import datetime, timedelta, tzinfo
from typing import Final


class _LocalZone(tzinfo):
    def utcoffset(self, dt: datetime | None) -> timedelta:
        return timedelta(seconds=self._local(dt).tm_gmtoff)

    def dst(self, dt: datetime | None) -> timedelta:
        return timedelta(hours=1 if self._local(dt).tm_isdst > 0 else 0)

    def tzname(self, dt: datetime | None) -> str:
        return self._local(dt).tm_zone

    def fromutc(self, dt: datetime) -> datetime:
        local = _localtime((dt.replace(tzinfo=None) - _EPOCH) // timedelta(seconds=1))
        return dt + timedelta(seconds=local.tm_gmtoff)

    def _local(self, dt: datetime | None) -> time.struct_time:
        if dt is None:
            return time.localtime()
        is_summer = -1  # let the system find out
        try:
            return _localtime(time.mktime((dt.year, dt.month, dt.day, dt.hour, dt.minute, dt.second, 0, 0, is_summer)))
        except (OverflowError, ValueError):  # years before and after what the system's calendar has
            return time.localtime(0)


def _localtime(seconds: float) -> time.struct_time:
    try:
        return time.localtime(seconds)
    except (OverflowError, ValueError, OSError):
        return time.localtime(0)


_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001  of two times in UTC

LOCAL_ZONE: Final = _LocalZone()
"""This process's zone: TZ's, or the machine's."""
