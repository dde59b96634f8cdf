"""SQL of merging memories: candidates, and marking as replaced."""

import json
from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_daemon.search import subject_words
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memory_links import NewLink, add
from palimp_daemon.store.tables.proposals import confirm, proposed_among

ALIVE: Final = "project_id = ? AND deleted_at IS NULL AND superseded_by IS NULL"


class Text(NamedTuple):
    """A memory that may be merged."""

    seq: int
    id: str
    title: str
    content: str
    kind: str


class Pair(NamedTuple):
    """Two memories; *newer* will replace *older*."""

    older: int
    newer: int
    why: str


def alive_after(store: Store, project: int, seq: int, limit: int) -> list[int]:
    """Return the next memories neither purged nor superseded."""
    return store.column(
        f"SELECT seq FROM memories WHERE {ALIVE} AND seq > ? ORDER BY seq LIMIT ?", (project, seq, limit)
    )


def claims_between(store: Store, project: int, first: int, last: int, words: Sequence[str]) -> list[tuple[int, str]]:
    """Return (number, text) of memories in a range with one of *words*."""
    like = " OR ".join("content LIKE ?" for _ in words)
    return store.rows(
        f"SELECT seq, content FROM memories WHERE {ALIVE} AND seq BETWEEN ? AND ? AND ({like})",
        (project, first, last, *(f"%{word}%" for word in words)),
    )


def signatures_after(store: Store, place: tuple[int, int], limit: int) -> list[tuple[int, int]]:
    """Return the next MinHash entries (hash, memory) in order, without subject words'."""
    entries = "SELECT hash, seq FROM sketches WHERE (hash, seq) > (?, ?) AND hash < ? ORDER BY hash, seq LIMIT ?"
    found = store.rows(entries, (*place, subject_words.KEY_MIN, limit))
    behind = max(place, (subject_words.KEY_MAX, -1))
    return found or store.rows(entries, (*behind, 2**63 - 1, limit))


def texts_of(store: Store, project: int, seqs: Sequence[int]) -> dict[int, Text]:
    """Return *project*'s *seqs* neither purged nor superseded."""
    found = store.rows(
        f"SELECT seq, id, title, content, kind FROM memories WHERE {ALIVE} AND seq IN (SELECT value FROM json_each(?))",
        (project, json.dumps(list(seqs))),
    )
    return {row[0]: Text(*row) for row in found}


def mark_merged(store: Store, project: int, pairs: Sequence[Pair], now_ms: int) -> set[int]:
    """Let each pair's newer supersede the older; return those newly superseded."""
    done: set[int] = set()
    for pair in pairs:
        if len(texts_of(store, project, (pair.older, pair.newer))) == 2:
            add(store, NewLink(pair.newer, pair.older, "replaces", "compact", pair.why), now_ms)
            if not proposed_among(store, [pair.older]):
                confirm(store, [pair.newer])  # else what was confirmed would wait under what was not
            done.add(pair.older)
    return done
