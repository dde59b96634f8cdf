"""SQL that reads hunks: removed code with its change."""

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from palimp_daemon.codediff.packing import unpack
from palimp_daemon.store.store import Store

_COLUMNS: Final = (
    "h.id, p.path, h.line, h.gone, h.state, c.at, c.reason, c.commit_sha, coalesce(s.key, ''), c.turn, h.packed"
    " FROM hunks h JOIN changes c ON c.id = h.change_id JOIN paths p ON p.id = h.path_id"
    " LEFT JOIN sessions s ON s.id = c.session_id"
)


STATES: Final = ("watched", "pending", "returned", "dismissed")
"""States of a hunk, stored as numbers: words would be a fiftieth of the database."""

WATCHED, PENDING = STATES.index("watched"), STATES.index("pending")


class Known(NamedTuple):
    """A stored hunk, without its lines."""

    id: int
    path: str
    line: int
    gone: int
    state: str
    at: int
    reason: str
    commit: str
    session: str
    turn: int
    packed: bytes


def gone_lines(hunk: Known) -> list[str]:
    """Return the lines that *hunk* removed and that were nowhere else."""
    return unpack(hunk.packed).gone


def known_hunks(store: Store, where: str, values: Sequence[Any]) -> list[Known]:
    """Return hunks under *where*, on `h` (hunks), `c` (changes), `p` (paths), `s` (sessions)."""
    found = store.rows(f"SELECT {_COLUMNS} WHERE {where}", values)
    return [Known(*row)._replace(state=STATES[row[4]]) for row in found]


def hunks_by_ids(store: Store, ids: Iterable[int]) -> list[Known]:
    """Return the hunks *ids*, unordered."""
    return known_hunks(store, "h.id IN (SELECT value FROM json_each(?))", (json.dumps(list(ids)),))


def hunk_named(store: Store, project: int, hunk_id: int) -> Known | None:
    """Return the hunk *hunk_id* if it is *project*'s."""
    return next(iter(known_hunks(store, "h.id = ? AND c.project_id = ?", (hunk_id, project))), None)


def newest_hunks(store: Store, project: int, path: str, limit: int) -> tuple[list[Known], int]:
    """Return the newest hunks with *path* in their paths, and the number of all."""
    where = "c.project_id = ? AND h.gone > 0 AND instr(p.path, ?) > 0"
    total = store.value(
        "SELECT count(*) FROM hunks h JOIN changes c ON c.id = h.change_id JOIN paths p ON p.id = h.path_id"
        f" WHERE {where}",
        (project, path),
    )
    return known_hunks(store, f"{where} ORDER BY c.at DESC, h.id DESC LIMIT ?", (project, path, limit)), total


def removed_from(store: Store, project: int, paths: Sequence[str], since_ms: int, limit: int) -> list[Known]:
    """Return the newest watched hunks of *paths*, largest per change first."""
    return known_hunks(
        store,
        f"c.project_id = ? AND h.state = {WATCHED} AND h.gone > 0 AND c.at >= ?"
        " AND p.path IN (SELECT value FROM json_each(?)) ORDER BY c.at DESC, h.gone DESC LIMIT ?",
        (project, since_ms, json.dumps(list(paths)), limit),
    )


def edits_before(store: Store, project: int, path: str, hunk_id: int, limit: int) -> list[Known]:
    """Return sessions' hunks of *path* before *hunk_id*, newest first."""
    return known_hunks(
        store,
        "p.project_id = ? AND p.path = ? AND c.commit_sha = '' AND h.id < ? ORDER BY h.id DESC LIMIT ?",
        (project, path, hunk_id, limit),
    )
