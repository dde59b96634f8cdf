"""SQL of the table `vectors`: what memories mean, as `palimp[semantic]` computes it in the background."""

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from palimp_daemon.runtime.sql import in_list, rows, value
from palimp_daemon.store.store import Store, newest_memory

EMBEDDED_CHARACTERS: Final = 3_000
"""Of a memory, what its vector is made of: more than the model reads."""

LOOKED_THROUGH: Final = 5_000
"""Memories looked through for those without a vector in one job of the store."""

SOUGHT_MAX: Final = 50
"""The best lexical matches, among which what is sought may be; those after them are the weaker ones."""

USUAL_SHARE: Final = 0.8
"""Of the mean of the weaker matches, what is taken from each vector. See docs/adr/0017 for others."""

USUAL_MEMORIES: Final = 20
"""Of how many the mean is half of what it could be: of a few it says little."""


class Unembedded(NamedTuple):
    """A memory without a vector, and the text that it is made of."""

    seq: int
    text: str


def use_model(store: Store, name: str) -> None:
    """Drop the vectors of any other model than *name*."""
    if value(store.connection, "SELECT name FROM vector_model") != name:
        store.connection.execute("DELETE FROM vectors")
        store.connection.execute("INSERT OR REPLACE INTO vector_model (one, name) VALUES (1, ?)", (name,))
        store.signs = None


def next_unembedded(store: Store, upper: int | None, limit: int) -> tuple[int, list[Unembedded]] | None:
    """Return the next *limit* memories before *upper* (None: the newest) without a vector, and where to go on.

    The list may be empty where many have one; None when there is nothing before *upper*.
    """
    newest = newest_memory(store)
    end = newest + 1 if upper is None else upper
    if end <= 1:
        return None
    lower = max(0, end - LOOKED_THROUGH)
    found = rows(
        store.connection,
        "SELECT m.seq, substr(CASE WHEN instr(m.content, rtrim(m.title, '…')) THEN m.content"
        f" ELSE m.title || char(10) || m.content END, 1, {EMBEDDED_CHARACTERS}) FROM memories m"
        " LEFT JOIN vectors v ON v.seq = m.seq WHERE m.seq > ? AND m.seq < ? AND v.seq IS NULL"
        " ORDER BY m.seq DESC LIMIT ?",
        (lower, end, limit),
    )
    batch = [Unembedded(*row) for row in found]
    return (batch[-1].seq if len(batch) == limit else lower + 1), batch


def insert(store: Store, made: Sequence[tuple[int, bytes]]) -> None:
    """Store vectors by sequence number, where the memory is still there."""
    statement = "INSERT OR REPLACE INTO vectors (seq, vector) SELECT seq, ? FROM memories WHERE seq = ?"
    store.connection.executemany(statement, [(vector, seq) for seq, vector in made])
    if store.signs is not None:
        store.signs.heard_of(store, [seq for seq, _ in made])


def counts(store: Store) -> tuple[int, int]:
    """Return how many memories have a vector, and how many there are."""
    return rows(store.connection, "SELECT (SELECT count(*) FROM vectors), (SELECT count(*) FROM memories)")[0]


def of(store: Store, seqs: Sequence[int]) -> dict[int, bytes]:
    """Return the vectors of the memories *seqs*, in their order; those without one are left out."""
    places, values = in_list(seqs)
    known = dict(rows(store.connection, f"SELECT seq, vector FROM vectors WHERE seq IN {places}", values))
    return {seq: known[seq] for seq in seqs if seq in known}


def cosines(query: bytes, matches: Mapping[int, bytes]) -> dict[int, float]:
    """Return how near the vectors of *matches*, best lexical match first, are to *query* in meaning; 1 is the same.

    Since what the weaker of many matches have in common says only what all of it is about, USUAL_SHARE of their mean is
    taken from each vector first ("all but the top", Mu and Viswanath, 2018).
    """
    if not matches:
        return {}
    import numpy as np  # noqa: PLC0415  installed with palimp[semantic] only, and without it there are no vectors

    stored: np.ndarray[Any, Any] = np.frombuffer(b"".join((query, *matches.values())), np.int8)
    matrix = stored.reshape(len(matches) + 1, -1).astype(np.float32)
    matrix /= np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)
    if len(matches) > SOUGHT_MAX:
        usual = matrix[1 + SOUGHT_MAX :]
        matrix -= USUAL_SHARE * usual.sum(axis=0) / (len(usual) + USUAL_MEMORIES)
        matrix /= np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)
    return dict(zip(matches, (matrix[1:] @ matrix[0]).tolist(), strict=True))


def plain_cosines(query: bytes, others: Mapping[int, bytes]) -> dict[int, float]:
    """Return how near the vectors of *others* are to *query* in meaning; 1 is the same, unrelated texts lie around 0.1.

    Unlike `cosines` of something that is looked for among many, a number means the same whatever else there is.
    """
    if not others:
        return {}
    import numpy as np  # noqa: PLC0415  installed with palimp[semantic] only, and without it there are no vectors

    stored: np.ndarray[Any, Any] = np.frombuffer(b"".join((query, *others.values())), np.int8)
    matrix = stored.reshape(len(others) + 1, -1).astype(np.float32)
    matrix /= np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)
    return dict(zip(others, (matrix[1:] @ matrix[0]).tolist(), strict=True))
