"""What is measured of the daemon by days: bounded, and numbers alone."""

from collections import Counter

from palimp_daemon.runtime.duration_buckets import COARSE, bucket_of
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.sessions.daily_measures import file_sizes_since, hook_times_since, keep_measures
from palimp_protocol.limits import MEASURED_DAYS_MAX
from palimp_protocol.messages.usage_messages import FileSizes, HookMoment


def times(moment: HookMoment, *milliseconds: float) -> Counter[tuple[HookMoment, int]]:
    return Counter((moment, bucket_of(each / 1000, COARSE)) for each in milliseconds)


def test_a_day_s_hooks_are_one_row_of_each_moment_whenever_they_were_stored(store: Store):
    """Half took at most the one time, 95 of 100 at most the other, within a fifth."""
    keep_measures(store, 20_000, times("prompt", *[10] * 90), (1, 1))
    keep_measures(store, 20_000, times("prompt", *[100] * 10) + times("start", 50), (1, 1))

    prompts, starts = hook_times_since(store, 20_000)

    assert (prompts.moment, prompts.times, starts.moment, starts.times) == ("prompt", 100, "start", 1)
    assert 10 <= prompts.p50_ms <= 12
    assert 100 <= prompts.p95_ms <= 120
    assert hook_times_since(store, 20_001) == []


def test_the_size_of_a_day_is_the_last_one(store: Store):
    for day, size in ((20_000, 5), (20_000, 7), (20_001, 9)):
        keep_measures(store, day, {}, (size, size * 10))
    assert file_sizes_since(store, 20_000) == [FileSizes(20_000, 7, 70), FileSizes(20_001, 9, 90)]


def test_the_oldest_days_are_forgotten(store: Store):
    for day in range(20_000, 20_000 + MEASURED_DAYS_MAX + 1):
        keep_measures(store, day, times("after", 3), (1, 1))
    assert {each.day for each in hook_times_since(store, 0)} == {each.day for each in file_sizes_since(store, 0)}
    assert len(file_sizes_since(store, 0)) == MEASURED_DAYS_MAX


def test_a_hook_that_never_ended_takes_no_bucket_of_its_own():
    assert bucket_of(1e9, COARSE) == bucket_of(600, COARSE) <= 100
