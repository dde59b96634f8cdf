"""SQL of merging memories: what may say the same, what says that it replaces another, marking and unmarking."""

import json
from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_daemon.runtime.sql import rows, value
from palimp_daemon.store.store import Store

ALIVE: Final = "project_id = ? AND deleted_at IS NULL AND superseded_by IS NULL"

CLAIMS: Final = ("supersed", "replac", "obsolet", "overrid", "instead of", "in place of")
"""Beginnings of the words with which a memory may say that it replaces another."""


class Text(NamedTuple):
    """A memory that may be merged."""

    seq: int
    id: str
    title: str
    content: str
    kind: str


def alive_after(store: Store, project: int, seq: int, limit: int) -> list[int]:
    """Return the next *limit* memories of *project* after *seq* that stand for themselves."""
    found = rows(
        store.connection, f"SELECT seq FROM memories WHERE {ALIVE} AND seq > ? ORDER BY seq LIMIT ?",
        (project, seq, limit),
    )  # fmt: skip
    return [row[0] for row in found]


def claims_between(store: Store, project: int, first: int, last: int) -> list[tuple[int, str]]:
    """Return memories numbered *first* to *last* that may say that they replace another, with their texts."""
    like = " OR ".join("content LIKE ?" for _ in CLAIMS)
    return rows(
        store.connection,
        f"SELECT seq, content FROM memories WHERE {ALIVE} AND seq BETWEEN ? AND ? AND ({like})",
        (project, first, last, *(f"%{claim}%" for claim in CLAIMS)),
    )


def signatures_after(store: Store, place: tuple[int, int], limit: int) -> list[tuple[int, int]]:
    """Return the next *limit* entries (hash, memory) of all MinHash signatures after *place*, in order."""
    return rows(
        store.connection,
        "SELECT hash, seq FROM sketches WHERE (hash, seq) > (?, ?) ORDER BY hash, seq LIMIT ?",
        (*place, limit),
    )


def texts_of(store: Store, project: int, seqs: Sequence[int]) -> dict[int, Text]:
    """Return those of the memories *seqs* that stand for themselves in *project*."""
    found = rows(
        store.connection,
        f"SELECT seq, id, title, content, kind FROM memories WHERE {ALIVE} AND seq IN (SELECT value FROM json_each(?))",
        (project, json.dumps(list(seqs))),
    )
    return {row[0]: Text(*row) for row in found}


def begin_compaction(store: Store, project: int, now_ms: int, keep: int) -> int:
    """Return the number of a new compaction of *project*; all but the last *keep* cannot be undone any more."""
    store.connection.execute("INSERT INTO compactions (project_id, at) VALUES (?, ?)", (project, now_ms))
    number = store.connection.last_insert_rowid()
    store.connection.execute(
        "DELETE FROM compactions WHERE project_id = ? AND id NOT IN"
        " (SELECT id FROM compactions WHERE project_id = ? ORDER BY id DESC LIMIT ?)",
        (project, project, keep),
    )
    return number


def merge(store: Store, compaction: int, project: int, pairs: Sequence[tuple[int, int]]) -> set[int]:
    """Mark the first of each of *pairs* as superseded by the second; return those that stood for themselves still."""
    done: set[int] = set()
    for seq, into in pairs:
        if len(texts_of(store, project, (seq, into))) == 2:
            store.connection.execute("UPDATE memories SET superseded_by = ? WHERE seq = ?", (into, seq))
            store.connection.execute(
                "INSERT INTO merged (compaction_id, seq, into_seq) VALUES (?, ?, ?)", (compaction, seq, into)
            )
            done.add(seq)
    return done


def last_compaction(store: Store, project: int) -> tuple[int, int] | None:
    """Return number and time of the last compaction of *project*; None when there is none."""
    found = rows(
        store.connection, "SELECT id, at FROM compactions WHERE project_id = ? ORDER BY id DESC LIMIT 1", (project,)
    )
    return found[0] if found else None


def unmerge(store: Store, compaction: int) -> tuple[int, list[str]]:
    """Take *compaction* back; return how many memories stand for themselves again, and the ids of those that do not."""
    left = rows(
        store.connection,
        "SELECT m.id FROM merged g JOIN memories m ON m.seq = g.seq WHERE g.compaction_id = ?"
        " AND (m.superseded_by IS NOT g.into_seq OR m.deleted_at IS NOT NULL)",
        (compaction,),
    )
    store.connection.execute(
        "UPDATE memories SET superseded_by = NULL FROM merged g WHERE g.compaction_id = ? AND memories.seq = g.seq"
        " AND memories.superseded_by = g.into_seq AND memories.deleted_at IS NULL",
        (compaction,),
    )
    count: int = value(store.connection, "SELECT changes()")
    store.connection.execute("DELETE FROM compactions WHERE id = ?", (compaction,))
    return count, [row[0] for row in left]
