"""SQL of `proposals`: unconfirmed memories, which only searches find.

With them wait wishes for all projects, and doubted rules.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_daemon.store.store import GLOBAL_PROJECT, Store
from palimp_daemon.store.tables.marks import marked_among, remove_mark, set_mark
from palimp_daemon.store.tables.rule_counts import DOUBTED
from palimp_daemon.store.tables.team_trust import keep

CAPTURED: Final = "transcript"
"""The source of captured memories."""

# Crossed, so that SQLite reads the few proposals and not the many memories of a project first.
_WAITING: Final = (
    f"FROM (SELECT seq FROM proposals UNION SELECT seq FROM wishes UNION {DOUBTED}) o"
    " CROSS JOIN memories m ON m.seq = o.seq"
    f" WHERE m.project_id IN (?, {GLOBAL_PROJECT}) AND m.deleted_at IS NULL AND m.superseded_by IS NULL"
)


class ReviewReminder(NamedTuple):
    """A project's last reminder: time, and number of waiting proposals."""

    at: int
    waiting: int


def propose(store: Store, seq: int, now_ms: int) -> None:
    """Make *seq* a proposal."""
    set_mark(store, "proposal", [seq], now_ms)


def texts_saved_in(store: Store, session: int, limit: int) -> list[str]:
    """Return the newest texts saved by the session's agent, without purged ones."""
    return store.column(
        "SELECT content FROM memories WHERE session_id = ? AND source <> ? AND deleted_at IS NULL"
        " ORDER BY seq DESC LIMIT ?",
        (session, CAPTURED, limit),
    )


def confirm(store: Store, seqs: Sequence[int]) -> None:
    """Confirm *seqs*, or keep another member's."""
    remove_mark(store, "proposal", seqs)
    keep(store, seqs)


def proposed_among(store: Store, seqs: Sequence[int]) -> set[int]:
    """Return the proposals among *seqs*."""
    return {*marked_among(store, "proposal", seqs)}


def waiting_in(store: Store, project: int, limit: int) -> list[int]:
    """Return the last memories that wait, newest first."""
    return store.column(f"SELECT o.seq {_WAITING} ORDER BY o.seq DESC LIMIT ?", (project, limit))


def count_waiting(store: Store, project: int) -> int:
    """Count the project's waiting memories, and all doubted rules."""
    return store.value(f"SELECT count(*) {_WAITING}", (project,))


def has_saved_among(store: Store, project: int) -> bool:
    """Tell whether any waiting memory was saved, not captured."""
    return bool(store.value(f"SELECT EXISTS (SELECT 1 {_WAITING} AND m.source != ?)", (project, CAPTURED)))


def inbox_told(store: Store, project: int) -> ReviewReminder | None:
    """Return the last reminder."""
    return store.record(ReviewReminder, "SELECT at, waiting FROM inbox_told WHERE project_id = ?", (project,))


def note_inbox_told(store: Store, project: int, told: ReviewReminder) -> None:
    """Remember the reminder *told*."""
    store.insert("inbox_told (project_id, at, waiting)", (project, *told), or_="REPLACE")


def note_reviewed(store: Store, project: int) -> None:
    """Note the number of remaining proposals after a review."""
    store.execute(
        "UPDATE inbox_told SET waiting = min(waiting, ?) WHERE project_id = ?", (count_waiting(store, project), project)
    )
