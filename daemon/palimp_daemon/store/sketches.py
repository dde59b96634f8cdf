"""SQL of the table `sketches`: which memories may say nearly the same as a text."""

from typing import Final

from palimp_daemon.search.sketch import SIMILARITY_MIN, similarity, sketch, words_of
from palimp_daemon.sql import rows
from palimp_daemon.store.store import Store

ENTRIES_MAX: Final = 256
"""Sketch entries read for one text, so that a pair of words in every memory does not slow a save."""

CANDIDATES_MAX: Final = 8
"""Memories compared word by word with a new one; those that share the most hashes come first."""

SIMILAR_SHOWN_MAX: Final = 3
"""Near-duplicates named in an answer."""


def similar_memories(store: Store, project_id: int, words: list[str]) -> list[tuple[str, str]]:
    """Return id and title of the memories of a project that say nearly the same as *words*, best first."""
    hashes = sketch(words)
    marks = ", ".join("?" * len(hashes))
    found = rows(
        store.connection,
        "SELECT m.id, m.title, m.content FROM"
        " (SELECT seq, count(*) AS shared FROM"
        f" (SELECT seq FROM sketches WHERE hash IN ({marks}) LIMIT {ENTRIES_MAX}) GROUP BY seq) c"
        " JOIN memories m ON m.seq = c.seq"
        " WHERE m.project_id = ? AND m.deleted_at IS NULL AND m.superseded_by IS NULL"
        " ORDER BY c.shared DESC, m.seq DESC LIMIT ?",
        (*hashes, project_id, CANDIDATES_MAX),
    )
    scored = [(similarity(words, words_of(content)), memory_id, title) for memory_id, title, content in found]
    scored.sort(key=lambda entry: -entry[0])
    return [(memory_id, title) for score, memory_id, title in scored if score >= SIMILARITY_MIN][:SIMILAR_SHOWN_MAX]


def insert_sketch(store: Store, seq: int, words: list[str]) -> None:
    """Remember the sketch of the memory *seq*, which has *words*."""
    store.connection.executemany(
        "INSERT OR IGNORE INTO sketches (hash, seq) VALUES (?, ?)", [(value, seq) for value in sketch(words)]
    )
