"""Stamps: the order of changes on several machines, by a hybrid logical clock.

`MILLISECONDS.COUNT.REPLICA`, in digits of fixed width, compares as text, and is later than all that its replica gave or
saw, also if the clock goes back.
"""

import re
from typing import Final

STAMP: Final = re.compile(r"[0-9a-f]{12}\.[0-9a-f]{4}\.[0-9a-f]{16}")

NEVER: Final = ""
"""Before all stamps."""

_COUNT_MAX: Final = 0xFFFF
"""Changes distinguished within a millisecond; further ones take the next."""

SKEW_MS: Final = 300_000
"""Milliseconds by which another clock may be ahead without a warning: five minutes."""


def next_stamp(last: str, now_ms: int, replica: str) -> str:
    """Return the stamp of *replica* at *now_ms* that is later than *last*."""
    milliseconds, count = _parts(last)
    if now_ms > milliseconds:
        return _stamp(now_ms, 0, replica)
    if count < _COUNT_MAX:
        return _stamp(milliseconds, count + 1, replica)
    return _stamp(milliseconds + 1, 0, replica)


def milliseconds_of(stamp: str) -> int:
    """Return the Unix milliseconds of *stamp*; 0 for `NEVER`."""
    return _parts(stamp)[0]


def _parts(stamp: str) -> tuple[int, int]:
    return (int(stamp[:12], 16), int(stamp[13:17], 16)) if stamp else (0, 0)


def _stamp(milliseconds: int, count: int, replica: str) -> str:
    return f"{milliseconds:012x}.{count:04x}.{replica}"
