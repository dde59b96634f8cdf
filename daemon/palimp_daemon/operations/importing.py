"""Storing what comes from elsewhere: each once, with secrets taken out, and nothing silently left out."""

from collections.abc import Sequence
from typing import NamedTuple, get_args

from msgspec.structs import replace

from palimp_daemon.capture.redact import redacted
from palimp_daemon.operations.desk import Desk
from palimp_daemon.operations.save_memory import Draft, draft, new_memory
from palimp_daemon.search.extra import dated
from palimp_daemon.store.memories import NewMemory, insert
from palimp_daemon.store.portable import content_of, insert_portable, is_imported, note_imported
from palimp_daemon.store.sketches import Text, insert_sketches, same_memories
from palimp_daemon.store.store import ensure_project, ensure_session
from palimp_daemon.transfer.incoming import Incoming
from palimp_protocol.errors import PalimpError
from palimp_protocol.limits import TAG_CHARACTERS_MAX, TAGS_MAX, TITLE_CHARACTERS_MAX
from palimp_protocol.operations import Caller, MemoryKind, ProjectRef, SaveMemory, SessionRef
from palimp_protocol.transfer import PortableMemory


class Kept(NamedTuple):
    """What became of some records."""

    imported: int
    known: int
    skipped: list[str]


def keep_incoming(desk: Desk, records: Sequence[Incoming]) -> Kept:
    """Store what is new of *records* in the caller's project."""
    project = ensure_project(desk.store, desk.caller, desk.now_ms)
    imported = known = 0
    skipped: list[str] = []
    for record in records:
        is_ours = record.id and content_of(desk.store, record.id) == record.content
        if is_ours or is_imported(desk.store, project, record.origin):
            known += 1
            continue
        try:
            memory = _draft(record)
        except PalimpError as error:
            skipped.append(f"{record.title or record.origin[:60]}: {error.text}")
            continue
        [same] = same_memories(desk.store, [Text(project, memory.kind, memory.key, memory.content)])
        if same is not None:
            note_imported(desk.store, project, record.origin, same)
            known += 1
            continue
        session = SessionRef(record.session[:200], record.source[:100]) if record.session else None
        at = _time_of(desk, record.created_at)
        there = Desk(desk.store, Caller(desk.caller.project, session), at, desk.random)
        seq, _ = insert(desk.store, new_memory(there, project, memory), desk.random)
        insert_sketches(desk.store, [(seq, memory.entries)])
        note_imported(desk.store, project, record.origin, seq)
        imported += 1
    return Kept(imported, known, skipped)


def _time_of(desk: Desk, created_at: int | None) -> int:
    """Return when a record was made, if that is known and not in the future; else now."""
    return created_at if created_at is not None and 0 < created_at <= desk.now_ms else desk.now_ms


def _draft(record: Incoming) -> Draft:
    """Return what is stored of *record*.

    Raises:
        PalimpError: nothing of it is left.
    """
    tags = [tag[:TAG_CHARACTERS_MAX] for tag in record.tags if tag.strip()][:TAGS_MAX]
    kind = record.kind if record.kind in get_args(MemoryKind) else "note"
    title = " ".join(record.title.split())[:TITLE_CHARACTERS_MAX] or None
    return draft(SaveMemory(text=record.content, title=title, tags=tags, kind=kind, source=record.source))  # pyright: ignore[reportArgumentType]  it is one of them


def keep_portable(desk: Desk, memories: Sequence[PortableMemory], *, here: bool) -> Kept:
    """Store what is new of our own export, under its ids: in the projects it was in, or all of it *here*."""
    imported = known = 0
    skipped: list[str] = []
    for memory in memories:
        there = content_of(desk.store, memory.id)
        clean = replace(memory, content=redacted(memory.content), title=redacted(memory.title))
        if there is not None:
            known += there == clean.content
            if there != clean.content:
                skipped.append(f"{memory.id}: another memory here has this id.")
            continue
        owner = desk.caller.project if here else _project(memory)
        session = SessionRef(memory.session, memory.client) if memory.session else None
        caller = Caller(owner, session)
        project = ensure_project(desk.store, caller, desk.now_ms)
        memory_draft = _portable_draft(clean)
        new = NewMemory(
            project_id=project,
            session_id=ensure_session(desk.store, caller, project, memory.created_at),
            title=clean.title,
            content=clean.content,
            tags=memory_draft.tags,
            kind=memory_draft.kind,
            source=clean.source[:50],
            extra=dated(memory_draft.extra, clean.created_at),
            created_at=clean.created_at,
            quote=redacted(clean.quote),
        )
        seq = insert_portable(desk.store, clean, new)
        insert_sketches(desk.store, [(seq, memory_draft.entries)])
        imported += 1
    return Kept(imported, known, skipped)


def _portable_draft(memory: PortableMemory) -> Draft:
    kind = memory.kind if memory.kind in get_args(MemoryKind) else "note"
    request = SaveMemory(text=memory.content, title=memory.title, tags=memory.tags, kind=kind)  # pyright: ignore[reportArgumentType]  it is one of them
    return draft(request)


def _project(memory: PortableMemory) -> ProjectRef | None:
    return (
        ProjectRef(memory.project, memory.project_name or memory.project.rsplit("/", 1)[-1]) if memory.project else None
    )
