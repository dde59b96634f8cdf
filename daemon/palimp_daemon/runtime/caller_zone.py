"""The caller's time zone, used for dates in answers.

Decisions take the zone as an argument (`zone_called`).
"""

import os
import re
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import timedelta, timezone, tzinfo
from typing import Final
from zoneinfo import ZoneInfo

from palimp_daemon.runtime.local_zone import LOCAL_ZONE
from palimp_protocol.env.zone import zone_name

OWN: Final = zone_name(os.environ)

_OFFSET: Final = re.compile(r"([+-])(\d\d)(\d\d)")

_answered: ContextVar[tzinfo] = ContextVar("answered_zone", default=LOCAL_ZONE)


def zone_called(name: str) -> tzinfo:
    """Return the zone *name* (`palimp_protocol.env.zone`), by default this process's."""
    if not name or name == OWN:
        return LOCAL_ZONE
    if offset := _OFFSET.fullmatch(name):
        minutes = int(offset[2]) * 60 + int(offset[3])
        return timezone(timedelta(minutes=-minutes if offset[1] == "-" else minutes))
    try:
        return ZoneInfo(name)
    except (KeyError, ValueError, OSError):  # it is not in this machine's database
        return LOCAL_ZONE


@contextmanager
def answering_in(name: str) -> Generator[None]:
    """Let `answered_zone` return the zone *name* within."""
    token = _answered.set(zone_called(name))
    try:
        yield
    finally:
        _answered.reset(token)


def answered_zone() -> tzinfo:
    """Return this task's caller's zone; outside a call, this process's."""
    return _answered.get()
