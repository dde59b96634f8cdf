"""SQL of daily measures of the daemon, numbers alone: durations of hooks, sizes of its files."""

from collections.abc import Mapping
from itertools import groupby
from typing import Final

from palimp_daemon.runtime.duration_buckets import COARSE, percentile
from palimp_daemon.store.store import Store
from palimp_protocol.limits import MEASURED_DAYS_MAX
from palimp_protocol.messages.usage_messages import FileSizes, HookMoment, HookTimes

HookCounts = Mapping[tuple[HookMoment, int], int]
"""Number of hooks, by moment and bucket of their duration."""

_DAY_MS: Final = 86_400_000


def day_of(at_ms: int) -> int:
    """Return the UTC day of a time, in days since 1970."""
    return at_ms // _DAY_MS


def keep_measures(store: Store, day: int, hooks: HookCounts, sizes: tuple[int, int]) -> None:
    """Add *hooks*, set *sizes* (memories, conversations), and forget old days."""
    for (moment, bucket), times in hooks.items():
        store.execute(
            "INSERT INTO hook_times (day, moment, bucket, times) VALUES (?, ?, ?, ?)"
            " ON CONFLICT DO UPDATE SET times = times + excluded.times",
            (day, moment, bucket, times),
        )
    store.execute("INSERT OR REPLACE INTO file_sizes VALUES (?, ?, ?)", (day, *sizes))
    for table in ("hook_times", "file_sizes"):
        store.execute(f"DELETE FROM {table} WHERE day <= ?", (day - MEASURED_DAYS_MAX,))


def hook_times_since(store: Store, day: int) -> list[HookTimes]:
    """Return the durations of hooks by day and moment."""
    found = store.rows("SELECT day, moment, bucket, times FROM hook_times WHERE day >= ? ORDER BY day, moment", (day,))
    return [
        _times(on, moment, {bucket: times for *_, bucket, times in rows})
        for (on, moment), rows in groupby(found, key=lambda row: row[:2])
    ]


def _times(day: int, moment: HookMoment, buckets: Mapping[int, int]) -> HookTimes:
    p50_ms, p95_ms = (round(percentile(buckets, share, COARSE) * 1000, 2) for share in (0.5, 0.95))
    return HookTimes(day=day, moment=moment, times=sum(buckets.values()), p50_ms=p50_ms, p95_ms=p95_ms)


def file_sizes_since(store: Store, day: int) -> list[FileSizes]:
    """Return the noted sizes at each day's end."""
    return store.records(FileSizes, "SELECT * FROM file_sizes WHERE day >= ? ORDER BY day", (day,))
