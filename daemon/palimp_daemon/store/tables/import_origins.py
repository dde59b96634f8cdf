"""SQL of `imported`: the other program's record that a memory was made of."""

import hashlib
import json
from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memory_links import NewLink, add
from palimp_daemon.store.tables.memory_rows import set_purged

ORIGIN_BYTES: Final = 16

IMPORTED_AGAIN: Final = "it was imported again, with another text"
"""Why a later memory replaces an imported one."""


class Imported(NamedTuple):
    """An imported memory."""

    seq: int
    content: str
    is_purged: bool
    """Whether it was purged or erased here; then *content* is empty."""


def imported_as(store: Store, project: int, origin: str) -> Imported | None:
    """Return the memory imported from *origin*."""
    found = store.rows(
        "SELECT i.seq, m.content, m.seq IS NULL OR m.deleted_at IS NOT NULL FROM imported i"
        " LEFT JOIN memories m ON m.seq = i.seq WHERE i.project_id = ? AND i.origin = ?",
        (project, _hash(origin)),
    )
    return Imported(found[0][0], found[0][1] or "", bool(found[0][2])) if found else None


def replace_imported(store: Store, project: int, origin: str, seq: int, by: int, now_ms: int) -> None:
    """Supersede the imported *seq* by *by*, and purge it."""
    if seq < by:
        if store.value("SELECT superseded_by IS NULL FROM memories WHERE seq = ?", (seq,)):
            add(store, NewLink(by, seq, "replaces", "compact", IMPORTED_AGAIN), now_ms)
        set_purged(store, seq, store.value("SELECT coalesce(deleted_at, ?) FROM memories WHERE seq = ?", (now_ms, seq)))
    store.execute("UPDATE memories SET updated_at = ? WHERE seq = ?", (now_ms, by))
    store.execute("UPDATE imported SET seq = ? WHERE project_id = ? AND origin = ?", (by, project, _hash(origin)))


def note_imported(store: Store, project: int, origin: str, seq: int) -> None:
    """Remember that *seq* was imported from *origin*."""
    store.insert("imported (project_id, origin, seq)", (project, _hash(origin), seq), or_="IGNORE")


def forget_origins(store: Store, seqs: Sequence[int]) -> None:
    """Forget the origins of *seqs*, so that imports store them again."""
    store.execute("DELETE FROM imported WHERE seq IN (SELECT value FROM json_each(?))", (json.dumps(list(seqs)),))


def _hash(origin: str) -> bytes:
    return hashlib.blake2b(origin.encode("utf-8", "replace"), digest_size=ORIGIN_BYTES).digest()
