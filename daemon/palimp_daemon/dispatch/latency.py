"""Count how long requests took, by operation, since the daemon started.

Buckets grow by GROWTH: a percentile is right within that factor (the idea of HDR histograms: Tene, 2012).
"""

import math
from collections import Counter
from typing import Final, NamedTuple

GROWTH: Final = 1.05
"""Each bucket's upper bound is this many times the one below: percentiles are right within 5 in 100."""

LEAST_S: Final = 1e-5
"""The upper bound of the first bucket."""


class Latency(NamedTuple):
    """How long an operation's requests took, in seconds."""

    operation: str
    requests: int
    p50_s: float
    p99_s: float


class Latencies:
    """The times of all operations."""

    def __init__(self) -> None:
        self._buckets: dict[str, Counter[int]] = {}

    def note(self, operation: str, seconds: float) -> None:
        """Count a request that took *seconds*."""
        bucket = 0 if seconds <= LEAST_S else math.ceil(math.log(seconds / LEAST_S, GROWTH))
        self._buckets.setdefault(operation, Counter())[bucket] += 1

    def all(self) -> list[Latency]:
        """Return the operations that were asked for, the most frequent first."""
        found = [
            Latency(operation, buckets.total(), _percentile(buckets, 0.5), _percentile(buckets, 0.99))
            for operation, buckets in self._buckets.items()
        ]
        return sorted(found, key=lambda each: (-each.requests, each.operation))


def _percentile(buckets: Counter[int], share: float) -> float:
    wanted, seen = buckets.total() * share, 0
    for bucket in sorted(buckets):
        seen += buckets[bucket]
        if seen >= wanted:
            return LEAST_S * GROWTH**bucket
    return 0.0
