"""Bound the memory numbers of a search, so that less of the index is read.

Bounds of a time span are looked up, since imported memories have later numbers.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_daemon.store.store import Store

DATED_MAX: Final = 20_000
"""Memories of a time span scanned for its bounds, 1 ms; beyond it, the whole index is read."""

DATED_OF_POSTING: Final = 2
"""DATED_MAX per posting that the bounds may spare, which costs as much as some thirty memories."""


class Bounds(NamedTuple):
    """First and last number; first > last for none."""

    first: int
    last: int


NOWHERE: Final = Bounds(1, 0)


def bounds_of(store: Store, projects: Sequence[int], newest: int) -> Bounds:
    """Return the bounds of *projects*, or of all memories up to *newest*."""
    if not projects:
        return Bounds(1, newest)
    ends = [
        store.rows(
            "SELECT (SELECT min(seq) FROM memories WHERE project_id = ?1), (SELECT max(seq) FROM memories"
            " WHERE project_id = ?1)",
            (project,),
        )[0]
        for project in projects
    ]
    return _around([Bounds(first, last) for first, last in ends if first is not None])


def bounds_sparing(store: Store, projects: Sequence[int], span: tuple[int, int], postings: int) -> Bounds | None:
    """Return `bounds_of_span`, if cheaper than reading *postings*."""
    return bounds_of_span(store, projects, span, min(DATED_MAX, DATED_OF_POSTING * postings))


def bounds_of_span(store: Store, projects: Sequence[int], span: tuple[int, int], most: int) -> Bounds | None:
    """Return the bounds of a *span* (Unix milliseconds); None beyond *most* memories."""
    found = [
        store.rows(
            "SELECT min(seq), max(seq), count(*) FROM (SELECT seq FROM memories INDEXED BY memories_by_time"
            " WHERE project_id = ? AND created_at >= ? AND created_at < ? LIMIT ?)",
            (project, *span, most + 1),
        )[0]
        for project in projects
    ]
    if not projects or any(count > most for _, _, count in found):
        return None
    return _around([Bounds(first, last) for first, last, count in found if count])


def _around(parts: Sequence[Bounds]) -> Bounds:
    return Bounds(min(each.first for each in parts), max(each.last for each in parts)) if parts else NOWHERE
