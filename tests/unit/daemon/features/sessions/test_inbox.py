"""When a session hears that proposals wait."""

from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.features.sessions.inbox import TOLD_AGAIN_MS, WAITING_MIN, is_worth_telling
from palimp_daemon.store.tables.proposals import Told

COUNTS = st.integers(0, 10_000)
TIMES = st.integers(0, 2**45)


def test_some_are_told_the_first_time_and_few_are_not():
    assert is_worth_telling(WAITING_MIN, None, 0)
    assert not is_worth_telling(WAITING_MIN - 1, None, 0)


def test_more_than_a_week_ago_are_told_again():
    last = Told(1_000, 4)
    assert is_worth_telling(5, last, 1_000 + TOLD_AGAIN_MS)
    assert not is_worth_telling(5, last, 999 + TOLD_AGAIN_MS)
    assert not is_worth_telling(4, last, 1_000 + 9 * TOLD_AGAIN_MS)


@given(COUNTS, TIMES, COUNTS, TIMES)
def test_never_twice_in_a_week_and_never_of_an_inbox_that_did_not_grow(waiting, at, now_waiting, after):
    if is_worth_telling(now_waiting, Told(at, waiting), at + after):
        assert after >= TOLD_AGAIN_MS
        assert now_waiting > waiting
