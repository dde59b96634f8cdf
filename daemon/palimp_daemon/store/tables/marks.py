"""SQL of marks of memories with their times: `pins`, `mutes`, `proposals`, `wishes`."""

import json
from collections.abc import Sequence
from typing import Final, Literal

from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memory_links import repoint_purged
from palimp_daemon.store.tables.steps import Step, note

Mark = Literal["pin", "mute", "proposal", "wish"]

_TABLES: Final[dict[Mark, str]] = {"pin": "pins", "mute": "mutes", "proposal": "proposals", "wish": "wishes"}


def set_mark(store: Store, mark: Mark, seqs: Sequence[int], at: int) -> None:
    """Mark *seqs* as of *at* (Unix milliseconds); marked ones stay so."""
    for seq in seqs:
        store.execute(f"INSERT OR IGNORE INTO {_TABLES[mark]} (seq, at) VALUES (?, ?)", (seq, at))
        if store.connection.changes():
            note(store, Step(mark, seq, None, at))
            _follow(store, mark, seq)


def remove_mark(store: Store, mark: Mark, seqs: Sequence[int]) -> None:
    """Remove the mark of *seqs*."""
    marked = marked_among(store, mark, seqs)
    for seq, at in marked.items():
        store.execute(f"DELETE FROM {_TABLES[mark]} WHERE seq = ?", (seq,))
        note(store, Step(mark, seq, at, None))
        _follow(store, mark, seq)


def _follow(store: Store, mark: Mark, seq: int) -> None:
    if mark == "proposal":
        repoint_purged(store, seq)


def marked_among(store: Store, mark: Mark, seqs: Sequence[int]) -> dict[int, int]:
    """Return the marked *seqs* with their times."""
    if not seqs:
        return {}
    statement = f"SELECT seq, at FROM {_TABLES[mark]} WHERE seq IN (SELECT value FROM json_each(?))"
    return dict(store.rows(statement, (json.dumps(list(seqs)),)))
