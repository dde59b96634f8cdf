"""SQL of `pins`: memories that every session is told at its start.

A pin is of the subject: it moves to the successor, and back.
"""

from collections.abc import Sequence

from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.marks import remove_mark, set_mark
from palimp_daemon.store.tables.memory_links import newest_versions


def pinned_in(store: Store, projects: Sequence[int]) -> dict[int, int]:
    """Return the pinned memories in force with times, newest first."""
    # Crossed, so that SQLite reads the few pins and not the many memories of a project first.
    places = ", ".join("?" * len(projects))
    found: list[tuple[int, int]] = store.rows(
        f"SELECT p.seq, p.at FROM pins p CROSS JOIN memories m ON m.seq = p.seq WHERE m.project_id IN ({places})"
        " AND m.deleted_at IS NULL ORDER BY p.at DESC, p.seq DESC",
        projects,
    )
    newest = newest_versions(store, [seq for seq, _ in found])
    pinned: dict[int, int] = {}
    for seq, at in found:
        if seq in newest:
            pinned.setdefault(newest[seq], at)
    return pinned


def pin(store: Store, seqs: Sequence[int], now_ms: int) -> None:
    """Pin *seqs*; pinned ones stay so."""
    set_mark(store, "pin", seqs, now_ms)


def unpin(store: Store, seqs: Sequence[int]) -> None:
    """Unpin *seqs* and the memories they replaced."""
    wanted = set(seqs)
    pinned = store.column("SELECT seq FROM pins")
    newest = newest_versions(store, pinned)
    remove_mark(store, "pin", [seq for seq in pinned if seq in wanted or newest.get(seq) in wanted])
