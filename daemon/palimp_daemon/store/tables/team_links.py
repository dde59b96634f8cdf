"""SQL of memories and links as a team exchanges them, by whole ids."""

import json
from collections.abc import Sequence
from typing import NamedTuple

from palimp_daemon.store.store import Store


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
    """Return the links of *seq* that somebody said and that hold."""
    statement = (
        "SELECT id FROM memory_links WHERE (newer = ?1 OR older = ?1) AND said_by != 'inferred' AND undone_at IS NULL"
    )
    return store.column(statement, (seq,))


def link_state(store: Store, number: int) -> LinkState | None:
    """Return the link *number*, also an undone one; None: its memories were erased."""
    found = store.rows(
        "SELECT l.id, n.id, o.id, l.relation, l.said_by, l.said, l.at, l.is_edit, l.undone_at IS NULL"
        " FROM memory_links l JOIN memories n ON n.seq = l.newer JOIN memories o ON o.seq = l.older WHERE l.id = ?",
        (number,),
    )
    for *said, is_edit, holds in found:
        return LinkState(*said, is_edit=bool(is_edit), holds=bool(holds))
    return None


def link_holding(store: Store, newer: int, older: int, relation: str) -> LinkState | None:
    """Return the link that holds by which *newer* does *relation* to *older*, if somebody said so."""
    found = store.rows(
        "SELECT id FROM memory_links WHERE newer = ? AND older = ? AND relation = ? AND undone_at IS NULL"
        " AND said_by != 'inferred'",
        (newer, older, relation),
    )
    return link_state(store, found[0][0]) if found else None


class Found(NamedTuple):
    """Number and project of a memory found by its id."""

    seq: int
    project: int


def memory_with_id(store: Store, memory: str) -> Found | None:
    """Return the memory with the whole id *memory*; None: it is not here."""
    return store.record(Found, "SELECT seq, project_id FROM memories WHERE id = ?", (memory,))


def are_any_here(store: Store, memories: Sequence[str]) -> bool:
    """Tell whether one of the memories with these whole ids is here."""
    statement = "SELECT EXISTS (SELECT 1 FROM memories WHERE id IN (SELECT value FROM json_each(?)))"
    return bool(store.value(statement, (json.dumps(memories),)))


def memory_kinds(store: Store, project: int) -> list[tuple[int, str, str]]:
    """Return (number, kind, tags) of the memories of *project* that are not purged, newest first."""
    return store.rows(
        "SELECT seq, kind, tags FROM memories WHERE project_id = ? AND deleted_at IS NULL ORDER BY seq DESC", (project,)
    )
