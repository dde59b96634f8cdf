"""Count memories by stem, cached between searches."""

from collections.abc import Set as AbstractSet
from typing import Final

from palimp_daemon.search.engine import frequencies_of
from palimp_daemon.store.store import Store, StoreState
from palimp_daemon.store.tables.words.vocabulary import IndexStems, vocabulary

FREQUENCIES_MAX: Final = 20_000
"""Words with cached frequency, about two megabytes."""

FREQUENCIES_GROWTH: Final = 20
"""They are counted again when the store has grown by one part in this many."""

FREQUENCIES_FROM: Final = 1_000
"""Memories up to which each new one renews the counts: in small stores, earlier queries must not change scores."""


class StemCounts(StoreState):
    """Approximate counts of memories by stem, and absent stems."""

    def __init__(self) -> None:
        self.known: dict[str, int] = {}
        self.counted_at = 0
        """The newest memory at the last count."""
        self.absent: set[str] = set()
        """Stems found nowhere, valid until the next write."""
        self._absent_at = 0
        """SQLite's count of changed rows when they were looked up."""

    def begin_anew(self, newest: int) -> None:
        """Forget all counts; count memories up to *newest*."""
        self.counted_at = newest
        self.known.clear()

    def forget_absent_before(self, changes: int) -> None:
        """Forget absent stems if *changes* differ: new texts may have them."""
        if changes != self._absent_at:
            self._absent_at = changes
            self.absent.clear()

    def forget_searches(self) -> None:
        """Forget everything."""
        self.begin_anew(0)
        self.absent.clear()


def frequencies(store: Store, stems: AbstractSet[str], newest: int) -> dict[str, int]:
    """Return each stem's approximate number of memories up to *newest*."""
    counts = store.state(StemCounts)
    counted_at = counts.counted_at
    growth = counted_at // FREQUENCIES_GROWTH if counted_at > FREQUENCIES_FROM else 0
    if not counted_at <= newest <= counted_at + growth:
        counts.begin_anew(newest)
    known, absent = counts.known, counts.absent
    counts.forget_absent_before(store.connection.total_changes())
    # Not as a difference of sets: that would go through all that is known.
    kept = None if store.state(IndexStems).vocabulary is None else vocabulary(store, newest)
    missing = {stem for stem in stems if stem not in known and stem not in absent}
    missing = missing if kept is None else {stem for stem in missing if stem in kept}
    if len(known) + len(absent) + len(missing) > FREQUENCIES_MAX:
        known.clear()
        absent.clear()
        missing = {*stems}
    if missing:
        found = frequencies_of(store.connection, store.engine, sorted(missing))
        known.update(found)
        absent |= missing - found.keys()
    return {stem: known[stem] for stem in stems if stem in known}
