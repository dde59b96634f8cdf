"""SQL of the table `sketches`: which memories may say nearly the same as a text."""

from collections import Counter
from typing import Final

from palimp_daemon.search.sketch import SHARED_MIN, SIMILARITY_MIN, similarity, words_of
from palimp_daemon.sql import value
from palimp_daemon.store.memories import Row, rows_by_seq
from palimp_daemon.store.store import Store

ENTRIES_MAX: Final = 64
"""Sketch entries read for one text, so that a pair of words in every memory does not slow a save."""

CANDIDATES_MAX: Final = 8
"""Memories compared word by word with a new one; those that share the most hashes come first."""

SIMILAR_SHOWN_MAX: Final = 3
"""Near-duplicates named in an answer."""


def similar_memories(store: Store, project_id: int, words: list[str], hashes: list[int]) -> list[Row]:
    """Return the project's memories that say nearly the same as *words*, whose sketch is *hashes*; best first."""
    marks = ", ".join("?" * len(hashes))
    # One row for all entries: each row is a hand-over of the interpreter's lock.
    entries: str | None = value(
        store.connection,
        "SELECT group_concat(seq, ' ') FROM"
        f" (SELECT seq FROM sketches WHERE hash IN ({marks}) ORDER BY seq DESC LIMIT {ENTRIES_MAX})",
        hashes,
    )
    if not entries:
        return []
    shared = Counter(entries.split()).most_common(CANDIDATES_MAX)
    candidates = [int(seq) for seq, count in shared if count >= min(SHARED_MIN, len(hashes))]
    scored = [
        (similarity(words, words_of(row.content)), row)
        for row in rows_by_seq(store, candidates)
        if row.project_id == project_id and row.deleted_at is None and row.superseded_by is None
    ]
    scored.sort(key=lambda entry: -entry[0])
    return [row for score, row in scored if score >= SIMILARITY_MIN][:SIMILAR_SHOWN_MAX]


def insert_sketch(store: Store, seq: int, hashes: list[int]) -> None:
    """Remember the sketch *hashes* of the memory *seq*."""
    if hashes:
        places = ", ".join("(?, ?)" for _ in hashes)
        values = [number for value in hashes for number in (value, seq)]
        store.connection.execute(f"INSERT OR IGNORE INTO sketches (hash, seq) VALUES {places}", values)
