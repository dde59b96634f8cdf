"""Count durations in buckets that grow by a factor, the error of a percentile (HDR histograms: Tene, 2012)."""

import math
from collections.abc import Mapping
from typing import Final

LEAST_S: Final = 1e-5
"""The upper bound of the first bucket."""

FINE: Final = 1.05
"""Ratio of successive buckets' upper bounds: percentiles are right within 5 in 100."""

COARSE: Final = 1.2
"""FINE for stored times: one moment's times of a day fill some twenty buckets, not eighty."""

LONGEST_S: Final = 600.0
"""Longer times count as this, to bound the buckets: 100 coarse ones."""


def bucket_of(seconds: float, growth: float = FINE) -> int:
    """Return the bucket of a duration."""
    return 0 if seconds <= LEAST_S else math.ceil(math.log(min(seconds, LONGEST_S) / LEAST_S, growth))


def percentile(buckets: Mapping[int, int], share: float, growth: float = FINE) -> float:
    """Return the upper bound in seconds of *share* of all durations; 0 for none."""
    wanted, seen = sum(buckets.values()) * share, 0
    for bucket in sorted(buckets):
        seen += buckets[bucket]
        if seen >= wanted:
            return LEAST_S * growth**bucket
    return 0.0
