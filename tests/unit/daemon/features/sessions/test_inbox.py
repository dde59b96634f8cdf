"""When a session hears that proposals wait."""

from hypothesis import given
from hypothesis import strategies as st
from request_contexts import NOON_MS

from palimp_daemon.features.memories.reviewing import review
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.sessions.inbox import (
    TOLD_AGAIN_MS,
    WAITING_MIN,
    inbox_line,
    is_worth_telling,
    note_inbox_line,
)
from palimp_daemon.store.tables.proposals import ReviewReminder, propose
from palimp_protocol.messages.memory_messages import SaveMemory
from palimp_protocol.messages.review_messages import Review

COUNTS = st.integers(0, 10_000)
TIMES = st.integers(0, 2**45)


def test_some_are_told_the_first_time_and_few_are_not():
    assert is_worth_telling(WAITING_MIN, None, 0)
    assert not is_worth_telling(WAITING_MIN - 1, None, 0)


def test_more_than_a_week_ago_are_told_again():
    last = ReviewReminder(1_000, 4)
    assert is_worth_telling(5, last, 1_000 + TOLD_AGAIN_MS)
    assert not is_worth_telling(5, last, 999 + TOLD_AGAIN_MS)
    assert not is_worth_telling(4, last, 1_000 + 9 * TOLD_AGAIN_MS)


@given(COUNTS, TIMES, COUNTS, TIMES)
def test_never_twice_in_a_week_and_never_of_an_inbox_that_did_not_grow(waiting, at, now_waiting, after):
    if is_worth_telling(now_waiting, ReviewReminder(at, waiting), at + after):
        assert after >= TOLD_AGAIN_MS
        assert now_waiting > waiting


def test_a_line_is_told_once_and_again_when_the_inbox_grew_for_a_week(request_context):
    context = request_context()
    store, caller = context.store, context.caller
    ids = [save_memory(request_context(), SaveMemory(text=f"Rule number {n}")).id for n in range(5)]
    assert inbox_line(caller, NOON_MS, store) == ""
    for seq in (1, 2, 3):
        propose(store, seq, NOON_MS)
    assert inbox_line(caller, NOON_MS, store).startswith("3 memories await")
    note_inbox_line(caller, NOON_MS, store)
    for seq in (4, 5):
        propose(store, seq, NOON_MS)
    assert inbox_line(caller, NOON_MS + TOLD_AGAIN_MS - 1, store) == ""
    assert inbox_line(caller, NOON_MS + TOLD_AGAIN_MS, store).startswith("5 memories")
    review(request_context(), Review(drop=ids))
    assert inbox_line(caller, NOON_MS + 2 * TOLD_AGAIN_MS, store) == ""
