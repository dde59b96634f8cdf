"""The time of day, whatever the machine says it is."""

import time

import pytest

from palimp_protocol.env import clock


def test_a_time_that_python_cannot_count_is_the_latest_that_it_can(monkeypatch: pytest.MonkeyPatch):
    def too_late() -> int:
        raise OverflowError

    before = clock.now_ms()
    monkeypatch.setattr(time, "time_ns", too_late)

    assert clock.now_ns() == clock.LATEST_NS
    assert clock.now_ms() > before
    assert clock.seconds_since(before / 1000) > 0
