"""SQL of the table `proposals`: memories that capture found, or that were saved while saves wait, and nobody confirmed.

With them wait what is to be for all projects, and rules that were broken so often by a user's wish that they may hold
no more.

A proposal is a memory like any other, and found like one; it is only listed nowhere by itself. Confirming it is to
take it off this table. One that was replaced or purged does not wait any more, but does again once that was undone.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_daemon.runtime.sql import rows, value
from palimp_daemon.store.store import GLOBAL_PROJECT, Store
from palimp_daemon.store.tables.marks import marked_among, remove_mark, set_mark
from palimp_daemon.store.tables.rule_counts import DOUBTED
from palimp_daemon.store.tables.team_trust import keep

CAPTURED: Final = "transcript"
"""The source of what capture found."""

# Crossed, so that SQLite reads the few proposals and not the many memories of a project first.
_WAITING: Final = (
    f"FROM (SELECT seq FROM proposals UNION SELECT seq FROM wishes UNION {DOUBTED}) o"
    " CROSS JOIN memories m ON m.seq = o.seq"
    f" WHERE m.project_id IN (?, {GLOBAL_PROJECT}) AND m.deleted_at IS NULL AND m.superseded_by IS NULL"
)


class ReviewReminder(NamedTuple):
    """When a session was last told that proposals wait, and how many did."""

    at: int
    waiting: int


def propose(store: Store, seq: int, now_ms: int) -> None:
    """Have the memory *seq* wait to be confirmed."""
    set_mark(store, "proposal", [seq], now_ms)


def texts_saved_in(store: Store, session: int, limit: int) -> list[str]:
    """Return the texts that the agent itself saved in *session* and that are not purged, the newest *limit*."""
    found = rows(
        store.connection,
        "SELECT content FROM memories WHERE session_id = ? AND source <> ? AND deleted_at IS NULL"
        " ORDER BY seq DESC LIMIT ?",
        (session, CAPTURED, limit),
    )
    return [text for (text,) in found]


def confirm(store: Store, seqs: Sequence[int]) -> None:
    """Let the memories *seqs* be confirmed, or kept if another member's; those that are already stay so."""
    remove_mark(store, "proposal", seqs)
    keep(store, seqs)


def proposed_among(store: Store, seqs: Sequence[int]) -> set[int]:
    """Return those of the memories *seqs* that are proposals."""
    return {*marked_among(store, "proposal", seqs)}


def waiting_in(store: Store, project: int, limit: int) -> list[int]:
    """Return the last *limit* memories of *project* that wait for a yes, the last one first."""
    found = rows(store.connection, f"SELECT o.seq {_WAITING} ORDER BY o.seq DESC LIMIT ?", (project, limit))
    return [seq for (seq,) in found]


def count_waiting(store: Store, project: int) -> int:
    """Return how many memories of *project* wait for a yes, and rules of all projects that are in doubt."""
    return value(store.connection, f"SELECT count(*) {_WAITING}", (project,))


def has_saved_among(store: Store, project: int) -> bool:
    """Tell whether some of what waits in *project* was not captured, but saved."""
    return bool(value(store.connection, f"SELECT EXISTS (SELECT 1 {_WAITING} AND m.source != ?)", (project, CAPTURED)))


def inbox_told(store: Store, project: int) -> ReviewReminder | None:
    """Return when a session of *project* was last told of its proposals; None: never."""
    found = rows(store.connection, "SELECT at, waiting FROM inbox_told WHERE project_id = ?", (project,))
    return ReviewReminder(*found[0]) if found else None


def note_inbox_told(store: Store, project: int, told: ReviewReminder) -> None:
    """Remember that a session of *project* was *told*."""
    store.connection.execute(
        "INSERT OR REPLACE INTO inbox_told (project_id, at, waiting) VALUES (?, ?, ?)", (project, *told)
    )


def note_reviewed(store: Store, project: int) -> None:
    """Note how many proposals are left in *project*: an inbox that was worked through grows from there."""
    store.connection.execute(
        "UPDATE inbox_told SET waiting = min(waiting, ?) WHERE project_id = ?", (count_waiting(store, project), project)
    )
