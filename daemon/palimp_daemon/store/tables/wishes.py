"""SQL of the table `wishes`: memories that an agent saved for all projects, which waits for the user's yes.

Until then such a memory stands in the project that it was saved in, like any other of it: what a repository makes an
agent save is neither told nor found elsewhere. With the yes it is moved into the global scope.
"""

from collections.abc import Sequence

from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.marks import marked_among, remove_mark, set_mark


def wish(store: Store, seqs: Sequence[int], now_ms: int) -> None:
    """Have the memories *seqs* wait to be for all projects."""
    set_mark(store, "wish", seqs, now_ms)


def end_wish(store: Store, seqs: Sequence[int]) -> None:
    """Let the memories *seqs* wait for that no more; those that do not stay as they are."""
    remove_mark(store, "wish", seqs)


def wishes_among(store: Store, seqs: Sequence[int]) -> set[int]:
    """Return those of the memories *seqs* that wait to be for all projects."""
    return {*marked_among(store, "wish", seqs)}
