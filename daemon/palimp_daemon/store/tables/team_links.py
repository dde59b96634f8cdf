"""SQL of memories and links exchanged in a team, by whole ids."""

import json
from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_daemon.store.store import Store

VERSIONS_MAX: Final = 100
"""Former versions examined: nobody edits a text more often within an hour."""


class LinkState(NamedTuple):
    """A link with the ids of its memories."""

    number: int
    newer: str
    older: str
    relation: str
    said_by: str
    said: str
    at: int
    is_edit: bool
    holds: bool


def links_of_memory(store: Store, seq: int) -> list[int]:
    """Return the stated links in force of *seq*."""
    statement = (
        "SELECT id FROM memory_links WHERE (newer = ?1 OR older = ?1) AND said_by != 'inferred' AND undone_at IS NULL"
    )
    return store.column(statement, (seq,))


def link_state(store: Store, number: int) -> LinkState | None:
    """Return a link, even if undone; None if its memories were erased."""
    found = store.rows(
        "SELECT l.id, n.id, o.id, l.relation, l.said_by, l.said, l.at, l.is_edit, l.undone_at IS NULL"
        " FROM memory_links l JOIN memories n ON n.seq = l.newer JOIN memories o ON o.seq = l.older WHERE l.id = ?",
        (number,),
    )
    for *said, is_edit, holds in found:
        return LinkState(*said, is_edit=bool(is_edit), holds=bool(holds))
    return None


def link_holding(store: Store, newer: int, older: int, relation: str) -> LinkState | None:
    """Return the stated link of *relation* in force between two memories."""
    found = store.rows(
        "SELECT id FROM memory_links WHERE newer = ? AND older = ? AND relation = ? AND undone_at IS NULL"
        " AND said_by != 'inferred'",
        (newer, older, relation),
    )
    return link_state(store, found[0][0]) if found else None


_EDITED: Final = (
    "FROM memory_links l JOIN memories n ON n.seq = l.newer WHERE l.is_edit AND l.undone_at IS NULL"
    " AND n.deleted_at IS NULL"
)


def edited_among(store: Store, seqs: Sequence[int], since: int) -> set[int]:
    """Return those of *seqs* with a version made after *since*."""
    statement = f"SELECT l.older {_EDITED} AND l.at > ? AND l.older IN (SELECT value FROM json_each(?))"
    return {*store.column(statement, (since, json.dumps(list(seqs))))}


def edits_of(store: Store, older: int, but: int) -> list[tuple[int, int]]:
    """Return (memory, time) of versions of *older* other than *but*, if both are in force."""
    return store.rows(
        f"SELECT l.newer, l.at {_EDITED} AND l.older = ?1 AND l.newer != ?2 AND n.superseded_by IS NULL"
        " AND EXISTS (SELECT 1 FROM memories b WHERE b.seq = ?2 AND b.deleted_at IS NULL AND b.superseded_by IS NULL)",
        (older, but),
    )


def versions_before(store: Store, seq: int) -> list[tuple[int, str]]:
    """Return (link, older memory's id) of versions before *seq*, newest first."""
    return store.rows(
        "WITH RECURSIVE version (link, seq, depth) AS (VALUES (0, ?, 0) UNION ALL"
        " SELECT l.id, l.older, v.depth + 1 FROM memory_links l JOIN version v ON l.newer = v.seq"
        " WHERE l.is_edit AND l.undone_at IS NULL AND v.depth < ?)"
        " SELECT v.link, m.id FROM version v JOIN memories m ON m.seq = v.seq WHERE v.depth > 0 ORDER BY v.depth",
        (seq, VERSIONS_MAX),
    )


class Found(NamedTuple):
    """Number and project of a memory."""

    seq: int
    project: int


def memory_with_id(store: Store, memory: str) -> Found | None:
    """Return the memory with the whole id, if here."""
    return store.record(Found, "SELECT seq, project_id FROM memories WHERE id = ?", (memory,))


def are_any_here(store: Store, memories: Sequence[str]) -> bool:
    """Tell whether any of these whole ids is here."""
    statement = "SELECT EXISTS (SELECT 1 FROM memories WHERE id IN (SELECT value FROM json_each(?)))"
    return bool(store.value(statement, (json.dumps(memories),)))


def memory_kinds(store: Store, project: int) -> list[tuple[int, str, str]]:
    """Return (number, kind, tags) of memories not purged, newest first."""
    return store.rows(
        "SELECT seq, kind, tags FROM memories WHERE project_id = ? AND deleted_at IS NULL ORDER BY seq DESC", (project,)
    )
