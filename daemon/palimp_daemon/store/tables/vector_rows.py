"""SQL of memories' vectors, computed in the background by `palimp[semantic]`.

`other_vectors` has a second one if the first one's model knows only English. Only vectors of one model are compared.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from palimp_daemon.runtime.sql import in_list
from palimp_daemon.store.store import Store, StoreState, newest_memory

if TYPE_CHECKING:
    import numpy as np

    Matrix = np.ndarray[Any, Any]

EMBEDDED_CHARACTERS: Final = 3_000
"""Characters of a memory that are embedded: more than the model reads."""

LOOKED_THROUGH: Final = 5_000
"""Memories searched in one job for those without a vector."""

DELETED_AT_ONCE: Final = 2_000
"""Unwanted vectors deleted in one job: some 10 ms."""

SOUGHT_MAX: Final = 50
"""The best lexical matches, likely to hold the answer; later ones are the weaker ones."""

USUAL_SHARE: Final = 0.8
"""Share of the weaker matches' mean subtracted from vectors. docs/adr/0017 compares others."""

USUAL_MEMORIES: Final = 20
"""Number of weaker matches at which their mean counts half: few say little."""

OWN: Final = "vectors"
BESIDE: Final = "other_vectors"
"""The tables' name."""

FIRST_KIND: Final = 1
"""The number of a database's first kind."""


class VectorSigns(Protocol):
    """In-memory signs of one kind's vectors (`store.tables.search.vector_search`, which needs numpy)."""

    def add_vectors_of(self, store: Store, seqs: Sequence[int]) -> None:
        """Add the new vectors of *seqs*."""
        ...


class KnownVectors(StoreState):
    """Signs of vectors by kind; none until a purely semantic search."""

    def __init__(self) -> None:
        self.of_kind: dict[int, VectorSigns] = {}


class Kind(NamedTuple):
    """A kind of vectors."""

    name: str
    model: str
    """The model: its vectors are comparable, whatever their kinds."""
    factor: float = 1.0
    """Factor that makes its cosines comparable to other models'."""


class Wanted(NamedTuple):
    """The kinds of vectors that memories should have."""

    own: tuple[int, ...] = (FIRST_KIND,)
    """Each memory has one of these."""
    with_other: tuple[int, ...] = ()
    """Memories with one of these have another vector, too."""
    other: int = 0
    """The other vector's kind; 0: none is wanted."""


ONE_KIND: Final = Wanted()
"""For a single model."""


class Unembedded(NamedTuple):
    """A memory that lacks a vector."""

    seq: int
    text: str
    kind: int | None = None
    """Of its present vector."""
    has_other: bool = False


class QueryVector(NamedTuple):
    """A query's vector by one model."""

    vector: bytes
    kinds: tuple[int, ...] = (FIRST_KIND,)
    """Kinds of memories' own vectors of its model."""
    factor: float = 1.0
    """Factor that makes its cosines comparable to other models'."""
    beside: tuple[int, ...] = ()
    """Kinds of second vectors of its model."""


QueryVectors = tuple[QueryVector, ...]
"""A query's vectors, by the models of stored vectors."""


def kinds(store: Store) -> dict[str, int]:
    """Return each kind's number by name."""
    return dict(store.rows("SELECT name, id FROM vector_kinds"))


def ensure_kinds(store: Store, wanted: Sequence[Kind]) -> dict[str, int]:
    """Return each kind's number by name, *wanted* ones included."""
    statement = (
        "INSERT INTO vector_kinds (name, model, factor) VALUES (?, ?, ?)"
        " ON CONFLICT (name) DO UPDATE SET factor = excluded.factor"
    )
    store.connection.executemany(statement, wanted)
    return kinds(store)


def next_unembedded(
    store: Store, upper: int | None, limit: int, wanted: Wanted = ONE_KIND
) -> tuple[int, list[Unembedded]] | None:
    """Return the next bound, and memories that lack a vector; None at the end."""
    newest = newest_memory(store)
    end = newest + 1 if upper is None else upper
    if end <= 1:
        return None
    lower = max(0, end - LOOKED_THROUGH)
    found = store.rows(
        "SELECT m.seq, substr(CASE WHEN instr(m.content, rtrim(m.title, '…')) THEN m.content"
        f" ELSE m.title || char(10) || m.content END, 1, {EMBEDDED_CHARACTERS}), v.kind, o.seq IS NOT NULL"
        f" FROM {_JOINED}{wanted.other} WHERE m.seq > ? AND m.seq < ? AND NOT {_has_all(wanted)}"
        " ORDER BY m.seq DESC LIMIT ?",
        (lower, end, limit),
    )
    batch = [Unembedded(seq, text, kind, bool(has_other)) for seq, text, kind, has_other in found]
    return (batch[-1].seq if len(batch) == limit else lower + 1), batch


def insert(store: Store, made: Sequence[tuple[int, bytes]], kind: int = FIRST_KIND, table: str = OWN) -> None:
    """Store vectors, replacing former ones; erased memories are skipped."""
    statement = f"INSERT OR REPLACE INTO {table} (seq, vector, kind) SELECT seq, ?, ? FROM memories WHERE seq = ?"
    store.connection.executemany(statement, [(vector, kind, seq) for seq, vector in made])
    _note_signs(store, [seq for seq, _ in made], kind)


def insert_other(store: Store, made: Sequence[tuple[int, bytes]], kind: int) -> None:
    """Store second vectors, as `insert`."""
    insert(store, made, kind, BESIDE)


def set_kind(store: Store, seqs: Sequence[int], kind: int) -> None:
    """Change the kind of vectors of *seqs* within the same model."""
    store.connection.executemany("UPDATE vectors SET kind = ? WHERE seq = ?", [(kind, seq) for seq in seqs])
    _note_signs(store, seqs, kind)


def delete_unwanted(store: Store, wanted: Wanted) -> bool:
    """Delete some unwanted second vectors, at last unused kinds; tell whether all is done."""
    store.execute(
        "DELETE FROM other_vectors WHERE seq IN (SELECT seq FROM other_vectors WHERE kind <> ? LIMIT ?)",
        (wanted.other, DELETED_AT_ONCE),
    )
    if store.connection.changes() == DELETED_AT_ONCE:
        return False
    named = (*wanted.own, wanted.other)
    places, values = in_list(named)
    unused = f"id NOT IN {places} AND NOT EXISTS (SELECT 1 FROM all_vectors WHERE kind = id)"
    for (kind,) in store.rows(f"DELETE FROM vector_kinds WHERE {unused} RETURNING id", values):
        store.state(KnownVectors).of_kind.pop(kind, None)
    return True


def counts(store: Store, wanted: Wanted = ONE_KIND) -> tuple[int, int]:
    """Count the memories with all their vectors, and all memories."""
    return store.rows(f"SELECT coalesce(sum({_has_all(wanted)}), 0), count(*) FROM {_JOINED}{wanted.other}")[0]


def of(store: Store, seqs: Sequence[int]) -> dict[int, dict[int, bytes]]:
    """Return the vectors of *seqs* by kind, the own one first."""
    places, values = in_list(seqs)
    known: dict[int, dict[int, bytes]] = {}
    for table in (OWN, BESIDE):
        statement = f"SELECT seq, kind, vector FROM {table} WHERE seq IN {places}"
        for seq, kind, vector in store.rows(statement, values):
            known.setdefault(seq, {})[kind] = vector
    return {seq: known[seq] for seq in seqs if seq in known}


def cosines(query: QueryVectors, matches: Mapping[int, Mapping[int, bytes]]) -> dict[int, float]:
    """Return the cosines of *matches*, best lexical match first, with the first comparable part of *query*.

    Of many, USUAL_SHARE of the weaker ones' mean is subtracted first ("all but the top", Mu and Viswanath, 2018).
    """
    return _of_models(query, matches, _without_usual)


def plain_cosines(query: QueryVectors, others: Mapping[int, Mapping[int, bytes]]) -> dict[int, float]:
    """Return the cosines of *others* with *query*; unrelated texts lie around 0.1."""
    return _of_models(query, others, lambda matrix: matrix)


def mean_cosines(query: QueryVectors, others: Mapping[int, Mapping[int, bytes]]) -> dict[int, float]:
    """Return mean `plain_cosines` over the models of *query* with vectors."""
    found: dict[int, list[float]] = {}
    for asked in query:
        for seq, cosine in plain_cosines((asked,), others).items():
            found.setdefault(seq, []).append(cosine)
    return {seq: sum(each) / len(each) for seq, each in found.items()}


def cosines_between(
    store: Store, memories: Mapping[int, Mapping[int, bytes]], pairs: Iterable[tuple[int, int]] | None = None
) -> dict[tuple[int, int], float]:
    """Return the plain cosines of all pairs, or *pairs*, in both orders, within one model."""
    models: dict[int, tuple[str, float]] = {
        kind: (model, factor) for kind, model, factor in store.rows("SELECT id, model, factor FROM vector_kinds")
    }
    units = {
        seq: [(*models.get(kind, (str(kind), 1.0)), _units([vector])[0]) for kind, vector in known.items()]
        for seq, known in memories.items()
    }
    found: dict[tuple[int, int], float] = {}
    for one, other in combinations(units, 2) if pairs is None else pairs:
        if one not in units or other not in units:
            continue
        comparable = (
            min(float(mine @ others) * factor, 1.0)
            for model, factor, mine in units[one]
            for model_of_other, _, others in units[other]
            if model == model_of_other
        )
        if (cosine := next(comparable, None)) is not None:
            found[one, other] = found[other, one] = cosine
    return found


def _of_models(
    query: QueryVectors, matches: Mapping[int, Mapping[int, bytes]], prepared: "Callable[[Matrix], Matrix]"
) -> dict[int, float]:
    """Return cosines with the first comparable part of *query*; *prepared* transforms unit vectors, the query first."""
    found: dict[int, float] = {}
    for asked in query:
        kinds = (*asked.kinds, *asked.beside)
        of_kind = {
            seq: vector
            for seq, known in matches.items()
            if seq not in found and (vector := next((known[each] for each in kinds if each in known), None))
        }
        if of_kind:
            matrix = prepared(_units([asked.vector, *of_kind.values()]))
            near = (matrix[1:] @ matrix[0] * asked.factor).clip(max=1.0)
            found |= dict(zip(of_kind, near.tolist(), strict=True))
    return found


def _without_usual(matrix: "Matrix") -> "Matrix":
    if len(matrix) - 1 <= SOUGHT_MAX:
        return matrix
    usual = matrix[1 + SOUGHT_MAX :]
    return _of_length_1(matrix - USUAL_SHARE * usual.sum(axis=0) / (len(usual) + USUAL_MEMORIES))


def _units(stored: Sequence[bytes]) -> "Matrix":
    import numpy as np  # noqa: PLC0415  installed with palimp[semantic] only, and without it there are no vectors

    return _of_length_1(np.frombuffer(b"".join(stored), np.int8).reshape(len(stored), -1).astype(np.float32))


def _of_length_1(matrix: "Matrix") -> "Matrix":
    import numpy as np  # noqa: PLC0415  as above

    return matrix / np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)


_JOINED: Final = (
    "memories m LEFT JOIN vectors v ON v.seq = m.seq LEFT JOIN other_vectors o ON o.seq = m.seq AND o.kind = "
)
"""Memories with their own vector and, if its kind follows, the second."""


def _has_all(wanted: Wanted) -> str:
    own, with_other = (", ".join(map(str, kinds)) for kinds in (wanted.own, wanted.with_other))
    return f"(v.kind IS NOT NULL AND v.kind IN ({own}) AND (v.kind NOT IN ({with_other}) OR o.seq IS NOT NULL))"


def _note_signs(store: Store, seqs: Sequence[int], kind: int) -> None:
    known = store.state(KnownVectors).of_kind.get(kind)
    if known is not None:
        known.add_vectors_of(store, seqs)
