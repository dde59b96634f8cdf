"""Which memories may say the same: pairs whose sketches share enough, gathered from the sketches of all.

Theory
------
Sketches (`search.sketch`) are read once, in the order of their hashes: all memories with one hash come together, and
each two of them share it. Of many that share one, as a loop that saves the same text a thousand times makes, only
neighbours are paired, which links them all; so the work is linear in the number of memories.
"""

from collections import Counter
from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from itertools import groupby
from operator import itemgetter
from typing import Final

from palimp_daemon.search.sketch import SHARED_MIN

NEIGHBOURS: Final = 8
"""Memories after one, of those with the same hash, that it is paired with."""

PAIRS_MAX: Final = 300_000
"""Pairs remembered at once: some 50 MB."""


class Pairs:
    """Pairs of memories (older, newer) by how many hashes they share."""

    def __init__(self, project: AbstractSet[int]) -> None:
        self._project = project
        self._shared: Counter[tuple[int, int]] = Counter()
        self._hashes: Counter[int] = Counter()
        self._last: tuple[int, list[int]] = (-1, [])
        self.is_full = False
        """Whether pairs had to be left out."""

    def add(self, entries: Iterable[tuple[int, int]]) -> None:
        """Take the next *entries* (hash, memory) of the sketches, in order."""
        for value, group in groupby(entries, key=itemgetter(0)):
            seqs = [seq for _, seq in group if seq in self._project]
            before = self._last[1] if value == self._last[0] else []
            self._pair(before, seqs)
            self._last = (value, (before + seqs)[-NEIGHBOURS:])

    def _pair(self, before: list[int], seqs: list[int]) -> None:
        self._hashes.update(seqs)
        everybody = before + seqs
        for position, newer in enumerate(everybody[len(before) :], len(before)):
            for older in everybody[max(0, position - NEIGHBOURS) : position]:
                if len(self._shared) < PAIRS_MAX or (older, newer) in self._shared:
                    self._shared[older, newer] += 1
                else:
                    self.is_full = True

    def alike(self) -> list[tuple[int, int]]:
        """Return the pairs that share enough to be compared, in order."""
        return sorted(
            (older, newer)
            for (older, newer), shared in self._shared.items()
            if shared >= min(SHARED_MIN, self._hashes[older], self._hashes[newer])
        )
