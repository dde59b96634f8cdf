"""The time of day. Python's nanoseconds in 64 bits end in the year 2262."""

import time

LATEST_NS = 2**63 - 1
"""Stands for all later times: 2262-04-11."""


def now_ns() -> int:
    """Return the time in Unix nanoseconds, LATEST_NS at most."""
    try:
        return time.time_ns()
    except OverflowError:
        return LATEST_NS


def now_ms() -> int:
    """Return the time in Unix milliseconds."""
    return now_ns() // 1_000_000


def seconds_since(then_s: float) -> float:
    """Return the seconds since *then_s* (Unix); negative if the clock went back."""
    return now_ns() / 1e9 - then_s
