"""Percentiles from a histogram."""

from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.dispatch.latency import Latencies
from palimp_daemon.runtime.duration_buckets import FINE, LEAST_S


@given(st.lists(st.floats(LEAST_S, 100), min_size=1, max_size=60))
def test_percentiles_are_right_within_a_bucket(times):
    """Half of the requests are at most p50, 99 in 100 at most p99; neither is more than a bucket too large."""
    latencies = Latencies()
    for seconds in times:
        latencies.note("recall", seconds)
    (found,) = latencies.all()
    ordered = sorted(times)
    half, most = ordered[(len(times) + 1) // 2 - 1], ordered[-(-99 * len(times) // 100) - 1]

    assert found.requests == len(times)
    assert half <= found.p50_s * 1.0001
    assert found.p50_s <= half * FINE * 1.0001
    assert most <= found.p99_s * 1.0001
    assert found.p99_s <= most * FINE * 1.0001


def test_the_most_frequent_come_first():
    """And an operation nobody asked for is not there."""
    latencies = Latencies()
    for operation in ("save_memory", "recall", "recall", "health"):
        latencies.note(operation, 0.001)

    assert [(each.operation, each.requests) for each in latencies.all()] == [
        ("recall", 2),
        ("health", 1),
        ("save_memory", 1),
    ]
