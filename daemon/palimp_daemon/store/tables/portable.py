"""SQL of exports and imports: whole memories out, and in again under their own ids."""

import hashlib
from typing import Final, NamedTuple

from palimp_daemon.runtime.sql import rows, value
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memories import NewMemory, insert_as
from palimp_daemon.store.tables.memory_links import NewLink, add
from palimp_protocol.messages.transfer import PortableMemory

ORIGIN_BYTES: Final = 16

IMPORTED_AGAIN: Final = "it was imported again, with another text"
"""Why a memory that was imported is replaced by a later one."""


def portable_after(store: Store, project: int | None, seq: int, limit: int) -> tuple[list[PortableMemory], int | None]:
    """Return the next *limit* memories after *seq*, of *project* or of all; and where to go on, if there are more."""
    where, values = ("m.project_id = ? AND ", (project,)) if project is not None else ("", ())
    found = rows(
        store.connection,
        "SELECT m.seq, m.id, m.title, m.content, m.kind, m.created_at, p.root, p.name, m.tags, m.source, t.key,"
        " t.client, m.updated_at, m.deleted_at, m.quote, (SELECT group_concat(o.id, ' ') FROM memories o WHERE"
        " o.superseded_by = m.seq AND o.seq < m.seq) FROM memories m JOIN projects p ON p.id = m.project_id"
        f" LEFT JOIN sessions t ON t.id = m.session_id WHERE {where}m.seq > ? ORDER BY m.seq LIMIT ?",
        (*values, seq, limit + 1),
    )
    memories = [
        PortableMemory(
            id=row[1],
            title=row[2],
            content=row[3],
            kind=row[4],
            created_at=row[5],
            project=row[6],
            project_name=row[7],
            tags=row[8].split(),
            source=row[9],
            session=row[10] or "",
            client=row[11] or "",
            updated_at=row[12],
            purged_at=row[13],
            quote=row[14],
            supersedes=sorted((row[15] or "").split()),
        )
        for row in found[:limit]
    ]
    return memories, found[limit - 1][0] if len(found) > limit else None


def count_memories(store: Store, project: int | None) -> int:
    """Return how many memories *project* has, or all have."""
    where, values = ("WHERE project_id = ?", (project,)) if project is not None else ("", ())
    return value(store.connection, f"SELECT count(*) FROM memories {where}", values)


def content_of(store: Store, memory_id: str) -> str | None:
    """Return the text of the memory with that whole id; None when there is none."""
    return value(store.connection, "SELECT content FROM memories WHERE id = ?", (memory_id,))


def insert_portable(store: Store, memory: PortableMemory, new: NewMemory) -> int:
    """Store *memory* under its own id, with *new* as what is derived of it; return its number."""
    seq = insert_as(store, memory.id, new)
    store.connection.execute(
        "UPDATE memories SET updated_at = ?, deleted_at = ? WHERE seq = ?", (memory.updated_at, memory.purged_at, seq)
    )
    _supersede(store, new.project_id, seq, memory)
    return seq


def _supersede(store: Store, project: int, seq: int, memory: PortableMemory) -> None:
    for memory_id in memory.supersedes:
        older: int | None = value(
            store.connection,
            "SELECT seq FROM memories WHERE id = ? AND project_id = ? AND seq < ?",
            (memory_id, project, seq),
        )
        if older is not None:
            add(store, NewLink(seq, older, "replaces", "compact"), memory.created_at)


def is_imported(store: Store, project: int, origin: str) -> bool:
    """Tell whether what is called *origin* elsewhere was imported into *project* before."""
    found = value(
        store.connection, "SELECT 1 FROM imported WHERE project_id = ? AND origin = ?", (project, _hash(origin))
    )
    return found is not None


class Imported(NamedTuple):
    """The memory that something imported is here."""

    seq: int
    content: str
    is_purged: bool
    """Whether it was purged here, or erased: then *content* is empty."""


def imported_as(store: Store, project: int, origin: str) -> Imported | None:
    """Return the memory that what is called *origin* elsewhere is in *project*; None when it was not imported."""
    found = rows(
        store.connection,
        "SELECT i.seq, m.content, m.seq IS NULL OR m.deleted_at IS NOT NULL FROM imported i"
        " LEFT JOIN memories m ON m.seq = i.seq WHERE i.project_id = ? AND i.origin = ?",
        (project, _hash(origin)),
    )
    return Imported(found[0][0], found[0][1] or "", bool(found[0][2])) if found else None


def replace_imported(store: Store, project: int, origin: str, seq: int, by: int, now_ms: int) -> None:
    """Have the memory *seq*, which *origin* was, be superseded by the memory *by*, which it is from now on.

    The former one is purged: no list shows both, and it can be restored.
    """
    if seq < by:
        is_replaced: bool | None = value(
            store.connection, "SELECT superseded_by IS NOT NULL FROM memories WHERE seq = ?", (seq,)
        )
        if is_replaced is not None and not is_replaced:
            add(store, NewLink(by, seq, "replaces", "compact", IMPORTED_AGAIN), now_ms)
        store.connection.execute(
            "UPDATE memories SET deleted_at = coalesce(deleted_at, ?) WHERE seq = ?", (now_ms, seq)
        )
    store.connection.execute("UPDATE memories SET updated_at = ? WHERE seq = ?", (now_ms, by))
    store.connection.execute(
        "UPDATE imported SET seq = ? WHERE project_id = ? AND origin = ?", (by, project, _hash(origin))
    )


def note_imported(store: Store, project: int, origin: str, seq: int) -> None:
    """Remember that what is called *origin* elsewhere is the memory *seq*."""
    store.connection.execute(
        "INSERT OR IGNORE INTO imported (project_id, origin, seq) VALUES (?, ?, ?)", (project, _hash(origin), seq)
    )


def _hash(origin: str) -> bytes:
    return hashlib.blake2b(origin.encode("utf-8", "replace"), digest_size=ORIGIN_BYTES).digest()
