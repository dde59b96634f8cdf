"""SQL that stores changes with their hunks, and forgets them."""

import json
from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_daemon.changes.diff import Hunk, takes_out
from palimp_daemon.changes.packing import pack
from palimp_daemon.sql import rows, value
from palimp_daemon.store.hunk_index import forget, watch
from palimp_daemon.store.hunks import PENDING, WATCHED
from palimp_daemon.store.store import Store

_OF_PROJECT: Final = "FROM hunks h JOIN changes c ON c.id = h.change_id WHERE c.project_id = ?"


class Change(NamedTuple):
    """A change as it is about to be stored: an edit of a session, or a commit."""

    reason: str
    at: int
    """Unix milliseconds."""
    tool: str = ""
    commit: str = ""
    session_id: int | None = None
    turn: int = 0
    """Of the session, from 1; 0: from git."""
    is_pending: bool = False


def insert_change(store: Store, project: int, change: Change, hunks: Sequence[Hunk]) -> int:
    """Store *change* with its *hunks*, which `without_moves` has seen; return its number.

    Those that take something out are watched at once, unless the change is pending.
    """
    store.connection.execute(
        "INSERT INTO changes (project_id, session_id, turn, commit_sha, tool, reason, at, is_pending)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            project,
            change.session_id,
            change.turn,
            change.commit,
            change.tool,
            change.reason,
            change.at,
            int(change.is_pending),
        ),
    )
    number = store.connection.last_insert_rowid()
    add_hunks(store, project, number, change, hunks)
    return number


def add_hunks(store: Store, project: int, number: int, change: Change, hunks: Sequence[Hunk]) -> None:
    """Store *hunks* of the change with this *number*."""
    db = store.connection
    for hunk in hunks:
        is_telling = takes_out(hunk)
        state = PENDING if change.is_pending else WATCHED
        path, gone = path_row(store, project, hunk.path), len(hunk.gone) if is_telling else 0
        db.execute(
            "INSERT INTO hunks (change_id, path_id, line, gone, state, packed) VALUES (?, ?, ?, ?, ?, ?)",
            (number, path, hunk.line, gone, state, pack(hunk)),
        )
        if is_telling and not change.is_pending:
            watch(store, project, db.last_insert_rowid(), hunk.path, hunk.gone, change.reason)


def path_row(store: Store, project: int, path: str) -> int:
    """Return the row of *path*, made if need be."""
    key = (project, path)
    row = value(store.connection, "SELECT id FROM paths WHERE project_id = ? AND path = ?", key)
    if row is None:
        store.connection.execute("INSERT INTO paths (project_id, path) VALUES (?, ?)", key)
        row = store.connection.last_insert_rowid()
    return int(row)


def forget_hunks(store: Store, project: int, keep_from_ms: int, keep_hunks: int, limit: int) -> int:
    """Delete *limit* hunks at most of *project*: those before *keep_from_ms*, and those beyond *keep_hunks*.

    The oldest and least cited go first; what was dismissed is kept as long as the rest. Returns how many went.
    """
    total: int = value(store.connection, f"SELECT count(*) {_OF_PROJECT}", (project,))
    too_many = max(0, total - keep_hunks)
    old = rows(
        store.connection,
        f"SELECT h.id {_OF_PROJECT} AND c.at < ? ORDER BY c.at LIMIT ?",
        (project, keep_from_ms, limit),
    )
    least = (
        rows(
            store.connection,
            f"SELECT h.id {_OF_PROJECT} ORDER BY min(h.cited, 3), c.at LIMIT ?",
            (project, min(limit, too_many)),
        )
        if too_many > len(old)
        else []
    )
    gone = list(dict.fromkeys(row[0] for row in (*old, *least)))[:limit]
    _delete_hunks(store, project, gone)
    if gone:
        store.connection.execute(
            "DELETE FROM changes WHERE project_id = ? AND NOT is_pending AND id NOT IN (SELECT change_id FROM hunks)",
            (project,),
        )
    return len(gone)


def delete_change(store: Store, number: int) -> None:
    """Delete a change with its hunks."""
    project = value(store.connection, "SELECT project_id FROM changes WHERE id = ?", (number,))
    hunks = [row[0] for row in rows(store.connection, "SELECT id FROM hunks WHERE change_id = ?", (number,))]
    _delete_hunks(store, project, hunks)
    store.connection.execute("DELETE FROM changes WHERE id = ?", (number,))


def _delete_hunks(store: Store, project: int, hunk_ids: Sequence[int]) -> None:
    for hunk_id in hunk_ids:
        forget(store, project, hunk_id)
    store.connection.execute("DELETE FROM hunks WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(hunk_ids),))
