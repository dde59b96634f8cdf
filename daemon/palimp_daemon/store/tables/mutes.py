"""SQL of `mutes`: memories told only on request.

Unlike a pin, a mute is of the words: a successor is told.
"""

from collections.abc import Sequence
from typing import Final

from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.marks import marked_among, remove_mark, set_mark

# Crossed, so that SQLite reads the few mutes and not the many memories of a project first.
_IN_FORCE: Final = (
    "FROM mutes u CROSS JOIN memories m ON m.seq = u.seq"
    " WHERE m.project_id IN ({}) AND m.deleted_at IS NULL AND m.superseded_by IS NULL"
)


def mute(store: Store, seqs: Sequence[int], now_ms: int) -> None:
    """Mute *seqs*; muted ones stay so."""
    set_mark(store, "mute", seqs, now_ms)


def unmute(store: Store, seqs: Sequence[int]) -> None:
    """Unmute *seqs*."""
    remove_mark(store, "mute", seqs)


def muted_among(store: Store, seqs: Sequence[int]) -> set[int]:
    """Return the muted ones of *seqs*."""
    return {*marked_among(store, "mute", seqs)}


def muted_in(store: Store, projects: Sequence[int], limit: int) -> dict[int, int]:
    """Return the last muted memories in force with times, newest first."""
    return dict(
        store.rows(
            f"SELECT u.seq, u.at {_IN_FORCE.format(_places(projects))} ORDER BY u.at DESC, u.seq DESC LIMIT ?",
            (*projects, limit),
        )
    )


def count_muted(store: Store, projects: Sequence[int]) -> int:
    """Count the muted memories in force."""
    return store.value(f"SELECT count(*) {_IN_FORCE.format(_places(projects))}", projects)


def _places(values: Sequence[int]) -> str:
    return ", ".join("?" * len(values))
