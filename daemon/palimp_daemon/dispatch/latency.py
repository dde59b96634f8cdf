"""Requests' durations by operation, since the daemon's start."""

from collections import Counter
from typing import NamedTuple

from palimp_daemon.runtime.duration_buckets import bucket_of, percentile


class Latency(NamedTuple):
    """The durations of an operation's requests, in seconds."""

    operation: str
    requests: int
    p50_s: float
    p99_s: float


class Latencies:
    """The durations of all operations."""

    def __init__(self) -> None:
        self._buckets: dict[str, Counter[int]] = {}

    def note(self, operation: str, seconds: float) -> None:
        """Count a request that took *seconds*."""
        self._buckets.setdefault(operation, Counter())[bucket_of(seconds)] += 1

    def all(self) -> list[Latency]:
        """Return the used operations, most frequent first."""
        found = [
            Latency(operation, buckets.total(), percentile(buckets, 0.5), percentile(buckets, 0.99))
            for operation, buckets in self._buckets.items()
        ]
        return sorted(found, key=lambda each: (-each.requests, each.operation))
