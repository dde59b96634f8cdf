"""Find the memories nearest in meaning: shortlisted by the signs of their dimensions, then compared.

The smaller the angle, the fewer signs differ (Charikar, 2002; docs/adr/0017). Signs in memory take 48 bytes a vector.
numpy comes with `palimp[semantic]`.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from palimp_daemon.runtime.sql import in_list
from palimp_daemon.search.engine import Filter
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.search.memory_bounds import bounds_of_span
from palimp_daemon.store.tables.vector_rows import BESIDE, FIRST_KIND, OWN, KnownVectors, QueryVector, QueryVectors

Array = np.ndarray[Any, Any]

READ_AT_ONCE: Final = 20_000
"""Vectors whose signs are read with one search: about 30 ms."""

KNOWN_MAX: Final = 200_000
"""Memories, the newest, with known signs: 12 megabytes."""

SHORTLISTED: Final = (500, 8_000)
"""Vectors read and compared; the second number if a kind or tag leaves too few."""

FEW: Final = 2_000
"""Memories of a time span that are all compared, 15 ms: most near the question lie outside."""

SHORTLISTED_BESIDE: Final = 200
"""The same if enough memories have the words, so that only very near ones may precede them."""

NEWEST: Final = 2**63 - 1
"""After all memories."""

LOOKED_AT: Final = 2
"""Multiple of the wanted rows first checked for whether they may be shown (most may), and the factor by which it
grows."""

_OF: Final = "FROM json_each(?) CROSS JOIN {} v ON v.seq = value"
"""Vectors of named memories. Query `+v.kind`, so that rows are found by number."""

NOT_YET: Final = "Older memories that have none of the words have no vector yet; ask again."
NOT_ALL: Final = (
    f"In a purely semantic search, only the {KNOWN_MAX:,} newest memories were compared. Ask with words that they have."
)


class Signs:
    """Signs of vectors of one *kind*, loaded newest first."""

    def __init__(self, kind: int = FIRST_KIND, table: str = OWN) -> None:
        self.kind = kind
        self.table = table
        self._count = 0
        self._seqs: Array = np.empty(0, np.int64)
        self._projects: Array = np.empty(0, np.int32)
        self._bits: Array = np.empty((0, 0), np.uint64)
        self._from = NEWEST
        """The oldest memory whose vector was read; 0: all were."""

    def __len__(self) -> int:
        return self._count

    @property
    def missing(self) -> str:
        """Why some vectors are not loaded, as a sentence, or empty."""
        if not self._from:
            return ""
        return NOT_ALL if self._count >= KNOWN_MAX else NOT_YET

    def read_on(self, store: Store) -> None:
        """Load up to READ_AT_ONCE more vectors' signs."""
        if not self._from or self._count >= KNOWN_MAX:
            return
        found: list[tuple[int, int, bytes]] = store.rows(
            f"SELECT v.seq, m.project_id, v.vector FROM {self.table} v JOIN memories m ON m.seq = v.seq"
            " WHERE v.kind = ? AND v.seq < ? ORDER BY v.seq DESC LIMIT ?",
            (self.kind, self._from, READ_AT_ONCE),
        )
        self.add(found)
        self._from = found[-1][0] if len(found) == READ_AT_ONCE else 0

    def add_vectors_of(self, store: Store, seqs: Sequence[int]) -> None:
        """Add the new vectors of *seqs*."""
        if self._count >= KNOWN_MAX + READ_AT_ONCE:
            store.state(KnownVectors).of_kind.pop(self.kind, None)  # the next search begins anew, with the newest
            return
        new = [seq for seq in seqs if seq >= self._from]  # the others will be read
        of = _OF.format(self.table)
        more = f"SELECT v.seq, m.project_id, v.vector {of} CROSS JOIN memories m ON m.seq = v.seq WHERE +v.kind = ?"
        self.add(store.rows(more, (str(new), self.kind)))

    def add(self, found: Sequence[tuple[int, int, bytes]]) -> None:
        """Add *found*: (memory, project, vector)."""
        if not found:
            return
        bits = _signs([vector for _, _, vector in found])
        end = self._count + len(found)
        if end > len(self._seqs):
            self._grow(max(end, 2 * self._count), len(bits))  # not with each of many small batches
        part = slice(self._count, end)
        self._seqs[part] = [seq for seq, _, _ in found]
        self._projects[part] = [project for _, project, _ in found]
        self._bits[:, part] = bits
        self._count = end

    def shortlist(self, query: bytes, projects: Sequence[int], count: int) -> list[int]:
        """Return the *count* memories with fewest signs other than *query*'s."""
        is_asked = np.zeros(self._count, np.bool_)
        for project in projects:
            is_asked |= self._projects[: self._count] == project
        if np.count_nonzero(is_asked) <= count:
            return self._seqs[: self._count][is_asked].tolist()
        differing = np.zeros(self._count, np.uint16)
        for stored, asked in zip(self._bits[:, : self._count], _signs([query]), strict=True):
            differing += np.bitwise_count(stored ^ asked)
        differing[~is_asked] = np.iinfo(np.uint16).max
        farthest = np.partition(differing, count)[count]
        nearer, as_far = np.flatnonzero(differing < farthest), np.flatnonzero(differing == farthest)
        return self._seqs[np.concatenate([nearer, as_far[: count - len(nearer)]])].tolist()

    def _grow(self, room: int, width: int) -> None:
        seqs, projects, bits = np.empty(room, np.int64), np.empty(room, np.int32), np.empty((width, room), np.uint64)
        if self._count:
            seqs[: self._count], projects[: self._count] = self._seqs[: self._count], self._projects[: self._count]
            bits[:, : self._count] = self._bits[:, : self._count]
        self._seqs, self._projects, self._bits = seqs, projects, bits


class Among(NamedTuple):
    """The scope: *limit* memories under *where*."""

    projects: Sequence[int]
    where: Filter
    limit: int
    is_beside: bool = False
    """Whether many have the words; then fewer are compared."""
    span: tuple[int, int] | None = None
    """Begin and end (exclusive) of *where*, in Unix milliseconds: if few memories, all are compared."""


def nearest(store: Store, query: QueryVectors, among: Among) -> tuple[dict[int, float], str]:
    """Return the nearest memories' cosines, with a note if some were left out."""
    few = _few_of(store, among, among.span) if among.span else None
    near: dict[int, float] = {}
    left_out = ""
    for asked in query:
        of_model: dict[int, float] = {}
        for kind, table in (*((kind, OWN) for kind in asked.kinds), *((kind, BESIDE) for kind in asked.beside)):
            signs = _signs_of_kind(store, kind, table)
            if few is None:
                found, missing = _nearest_of_kind(store, asked, signs, among)
            else:
                found, missing = _compare(store, asked, signs, few), ""
            of_model |= found
            left_out = left_out or missing
        near = of_model | near  # the first that knows a memory counts
    best = sorted(near.items(), key=lambda each: (-each[1], -each[0]))[: among.limit]
    return dict(best), left_out


def _signs_of_kind(store: Store, kind: int, table: str) -> Signs:
    known = store.state(KnownVectors).of_kind
    signs = known.get(kind)
    if not isinstance(signs, Signs):
        signs = known[kind] = Signs(kind, table)
    return signs


def _few_of(store: Store, among: Among, span: tuple[int, int]) -> list[int] | None:
    if bounds_of_span(store, among.projects, span, FEW) is None:
        return None
    places, values = in_list(list(among.projects))
    statement = f"SELECT m.seq FROM memories m WHERE m.project_id IN {places} AND {among.where.sql} LIMIT ?"
    found = store.rows(statement, (*values, *among.where.values, FEW + 1))
    return [seq for (seq,) in found] if len(found) <= FEW else None  # of two projects each may have as many


def _nearest_of_kind(store: Store, asked: QueryVector, signs: Signs, among: Among) -> tuple[dict[int, float], str]:
    signs.read_on(store)
    near: dict[int, float] = {}
    for count in (SHORTLISTED_BESIDE,) if among.is_beside else SHORTLISTED:
        shortlist = signs.shortlist(asked.vector, among.projects, count)
        near = _fitting_only(store, _compare(store, asked, signs, shortlist), among.where, among.limit)
        if len(near) >= among.limit or len(shortlist) < count:
            break
    return near, signs.missing


def _compare(store: Store, asked: QueryVector, signs: Signs, seqs: list[int]) -> dict[int, float]:
    statement = f"SELECT v.seq, v.vector {_OF.format(signs.table)} WHERE +v.kind = ?"
    found: list[tuple[int, bytes]] = store.rows(statement, (str(seqs), signs.kind))
    if not found:
        return {}
    matrix = _matrix([asked.vector, *(vector for _, vector in found)]).astype(np.float32)
    lengths = np.maximum(np.sqrt(np.einsum("ij,ij->i", matrix, matrix)), 1e-9)
    cosines = np.minimum(matrix[1:] @ matrix[0] / (lengths[1:] * lengths[0]) * asked.factor, 1.0)
    order = np.argsort(-cosines, kind="stable")
    return {found[place][0]: cosine for place, cosine in zip(order.tolist(), cosines[order].tolist(), strict=True)}


def _fitting_only(store: Store, near: dict[int, float], where: Filter, limit: int) -> dict[int, float]:
    seqs, count, shown = list(near), LOOKED_AT * limit, dict[int, float]()
    under = f"SELECT m.seq FROM json_each(?) CROSS JOIN memories m ON m.seq = value WHERE {where.sql}"
    while seqs and len(shown) < limit:
        some, seqs, count = seqs[:count], seqs[count:], count * LOOKED_AT
        allowed = {*store.column(under, (str(some), *where.values))}
        shown |= {seq: near[seq] for seq in some if seq in allowed}
    return dict(list(shown.items())[:limit])


def _matrix(vectors: Sequence[bytes]) -> Array:
    return np.frombuffer(b"".join(vectors), np.int8).reshape(len(vectors), -1)


def _signs(vectors: Sequence[bytes]) -> Array:
    bits = np.packbits(_matrix(vectors) > 0, axis=1)
    return np.pad(bits, ((0, 0), (0, -bits.shape[1] % 8))).view(np.uint64).T
