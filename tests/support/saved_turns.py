"""Turns of conversations in a store of memories: what is saved as a memory, indexed as what was said."""

from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.sessions.conversation_rows import TURN


def make_turns(store: Store) -> None:
    """Make a turn of every memory of *store*."""
    store.connection.execute("UPDATE memories SET kind = ?", (TURN,))
    store.connection.execute("UPDATE memories SET content = content")  # which indexes them anew
