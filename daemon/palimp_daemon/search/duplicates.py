"""Pair memories that may say the same, by MinHash signatures (`search.minhash`), in linear time.

Two memories with two shared hashes meet in the smaller one's group, in the larger one's bucket, where only neighbours
are paired. Memories of equal text are paired with the newest alone. 100,000 memories take some 20 MB.
"""

from array import array
from collections.abc import Iterable, Iterator
from collections.abc import Set as AbstractSet
from itertools import groupby
from operator import itemgetter
from typing import Final

from palimp_daemon.search.minhash import KEY_MIN

NEIGHBOURS: Final = 8
"""Next memories of the same bucket that each one is paired with."""

PAIRS_MAX: Final = 300_000
"""Pairs compared at once."""


class Signatures:
    """MinHash signatures of a project's memories."""

    def __init__(self, project: AbstractSet[int]) -> None:
        self._project = project
        self._hashes = array("Q")
        self._seqs = array("Q")
        self._keys = array("Q")
        self._keyed = array("Q")

    def add(self, entries: Iterable[tuple[int, int]]) -> None:
        """Add *entries* (hash, memory), which must come in the order of hashes."""
        for value, seq in entries:
            if seq in self._project:
                (self._hashes if value < KEY_MIN else self._keys).append(value)
                (self._seqs if value < KEY_MIN else self._keyed).append(seq)

    def alike(self) -> list[tuple[int, int]]:
        """Return up to PAIRS_MAX pairs (older, newer) with the same text, two common hashes, or either's only one."""
        same = self._same()
        entries = [(value, seq) for value, seq in zip(self._hashes, self._seqs, strict=True) if seq not in same]
        signatures: dict[int, list[int]] = {}
        for value, seq in entries:
            signatures.setdefault(seq, []).append(value)
        found: set[tuple[int, int]] = set(same.items())
        for value, group in groupby(entries, key=itemgetter(0)):
            members = [seq for _, seq in group]
            if len(members) > 1:
                found.update(_pairs_of(value, members, signatures))
            if len(found) > PAIRS_MAX:
                break
        return sorted(found)[:PAIRS_MAX]

    def _same(self) -> dict[int, int]:
        newest: dict[int, int] = {}
        for _, group in groupby(zip(self._keys, self._keyed, strict=True), key=itemgetter(0)):
            members = [seq for _, seq in group]
            newest.update(dict.fromkeys(members[:-1], members[-1]))
        return newest


def _pairs_of(value: int, members: list[int], signatures: dict[int, list[int]]) -> Iterator[tuple[int, int]]:
    buckets: dict[int, list[int]] = {}
    for seq in members:
        for other in signatures[seq]:
            if other > value:
                buckets.setdefault(other, []).append(seq)
    for bucket in buckets.values():
        yield from _neighbours(bucket)
    for older, newer in _neighbours(members):
        if len(signatures[older]) == 1 or len(signatures[newer]) == 1:
            yield older, newer


def _neighbours(members: list[int]) -> Iterator[tuple[int, int]]:
    for place, newer in enumerate(members):
        for older in members[max(0, place - NEIGHBOURS) : place]:
            yield older, newer
