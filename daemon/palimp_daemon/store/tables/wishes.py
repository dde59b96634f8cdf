"""SQL of `wishes`: memories for all projects that wait for the user's yes.

Until then they stay in their project.
"""

from collections.abc import Sequence

from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.marks import marked_among, remove_mark, set_mark


def wish(store: Store, seqs: Sequence[int], now_ms: int) -> None:
    """Let *seqs* wait to be for all projects."""
    set_mark(store, "wish", seqs, now_ms)


def end_wish(store: Store, seqs: Sequence[int]) -> None:
    """End the wishes of *seqs*."""
    remove_mark(store, "wish", seqs)


def wishes_among(store: Store, seqs: Sequence[int]) -> set[int]:
    """Return those of *seqs* that wait to be for all projects."""
    return {*marked_among(store, "wish", seqs)}
