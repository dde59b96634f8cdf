"""Storing what comes from elsewhere: each once, with secrets redacted, and nothing silently left out."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple, get_args

from msgspec.structs import replace

from palimp_daemon.features.memories.save import Draft, draft, new_memory
from palimp_daemon.features.transfer.record import Incoming, LeftOut
from palimp_daemon.search.index_terms import dated
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store, ensure_project, ensure_session
from palimp_daemon.store.tables.memories import NewMemory, insert, set_purged
from palimp_daemon.store.tables.portable import (
    Imported,
    content_of,
    imported_as,
    insert_portable,
    note_imported,
    replace_imported,
)
from palimp_daemon.store.tables.signatures import Text, insert_signatures, same_memories
from palimp_daemon.text.redact import Redactor
from palimp_protocol.errors import PalimpError
from palimp_protocol.limits import TAG_CHARACTERS_MAX, TAGS_MAX, TITLE_CHARACTERS_MAX
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.messages.memories import MemoryKind, SaveMemory
from palimp_protocol.messages.transfer import PortableMemory


class Kept(NamedTuple):
    """What became of some records."""

    imported: int
    known: int
    left: list[LeftOut]
    updated: int = 0
    kinds: Mapping[str, int] = {}
    """Of what is imported or updated."""


PURGED: Final = "it was deleted here, and has changed there"


def keep_incoming(context: RequestContext, records: Sequence[Incoming], redact: Redactor) -> Kept:
    """Store what is new of *records* in the caller's project; what has changed takes the place of what it was."""
    project = ensure_project(context.store, context.caller, context.now_ms)
    known = updated = imported = 0
    left: list[LeftOut] = []
    kinds: Counter[str] = Counter()
    for record in records:
        if record.id and content_of(context.store, record.id) == record.content:
            known += 1
            continue
        try:
            memory = _draft(record, redact)
            outcome = _kept(context, project, record, memory)
        except PalimpError as error:
            left.append(LeftOut(record.title or record.origin[:60], error.text.rstrip(".")))
            continue
        if record.part == record.parts - 1:
            _purge_later_pieces(context, project, record)
        if outcome == "purged":
            left.append(LeftOut(record.title or record.origin[:60], PURGED))
            continue
        known += outcome == "known"
        updated += outcome == "updated"
        imported += outcome == "imported"
        kinds[memory.kind] += outcome in ("imported", "updated")
    return Kept(imported, known, left, updated, {kind: count for kind, count in kinds.items() if count})


def _kept(
    context: RequestContext, project: int, record: Incoming, memory: Draft
) -> Literal["imported", "updated", "known", "purged"]:
    """Store *memory*, which *record* is here, unless it is there, and say which."""
    store, origin = context.store, _piece(record.origin, record.part)
    before = imported_as(store, project, origin) or _known_by_older_name(store, project, record)
    if before is not None and before.content == memory.content:
        return "known"
    if before is not None and before.is_purged:
        return "known" if not before.content else "purged"
    [same] = same_memories(store, [Text(project, memory.kind, memory.key, memory.content)])
    if same is not None:
        note_imported(store, project, origin, same)
        if before is not None and before.seq != same:
            replace_imported(store, project, origin, before.seq, same, context.now_ms)
        return "known"
    session = SessionRef(record.session[:200], record.source[:100]) if record.session else None
    there = RequestContext(
        store, Caller(context.caller.project, session), _time_of(context, record.created_at), context.random
    )
    seq, _ = insert(store, new_memory(there, project, memory), context.random)
    insert_signatures(store, [(seq, memory.entries)])
    note_imported(store, project, origin, seq)
    if before is None:
        return "imported"
    replace_imported(store, project, origin, before.seq, seq, context.now_ms)
    return "updated"


def _piece(origin: str, part: int) -> str:
    return f"{origin}#{part}"


def _known_by_older_name(store: Store, project: int, record: Incoming) -> Imported | None:
    """Return the memory that *record* is under a name which an earlier version gave it."""
    found = (imported_as(store, project, origin) for origin in record.older_origins)
    before = next((each for each in found if each is not None), None)
    if before is not None:
        note_imported(store, project, _piece(record.origin, record.part), before.seq)
    return before


def _purge_later_pieces(context: RequestContext, project: int, last: Incoming) -> None:
    """Purge the pieces of a note that it had and has no more, now that it is shorter."""
    part = last.part + 1
    while (piece := imported_as(context.store, project, _piece(last.origin, part))) is not None:
        if not piece.is_purged:
            set_purged(context.store, piece.seq, context.now_ms)
        part += 1


def _time_of(context: RequestContext, created_at: int | None) -> int:
    """Return when a record was made, if that is known and not in the future; else now."""
    return created_at if created_at is not None and 0 < created_at <= context.now_ms else context.now_ms


def _draft(record: Incoming, redact: Redactor) -> Draft:
    """Return what is stored of *record*.

    Raises:
        PalimpError: nothing of it is left.
    """
    # Secrets are redacted before anything is cut: what is left of a token is not known as one.
    tags = [redact(tag)[:TAG_CHARACTERS_MAX] for tag in record.tags if tag.strip()][:TAGS_MAX]
    kind = record.kind if record.kind in get_args(MemoryKind) else "note"
    title = " ".join(redact(record.title).split())[:TITLE_CHARACTERS_MAX] or None
    return draft(redact, SaveMemory(text=record.content, title=title, tags=tags, kind=kind, source=record.source))  # pyright: ignore[reportArgumentType]  it is one of them


def keep_portable(context: RequestContext, memories: Sequence[PortableMemory], redact: Redactor, *, here: bool) -> Kept:
    """Store what is new of our own export, under its ids: in the projects it was in, or all of it *here*."""
    imported = known = 0
    left: list[LeftOut] = []
    kinds: Counter[str] = Counter()
    for memory in memories:
        there = content_of(context.store, memory.id)
        links = [replace(link, said=redact(link.said)) for link in memory.links]
        clean = replace(memory, content=redact(memory.content), title=redact(memory.title), links=links)
        if there is not None:
            known += there == clean.content
            if there != clean.content:
                left.append(LeftOut(memory.id, "another memory here has this id"))
            continue
        owner = context.caller.project if here else _project(memory)
        session = SessionRef(memory.session, memory.client) if memory.session else None
        caller = Caller(owner, session)
        project = ensure_project(context.store, caller, context.now_ms)
        memory_draft = _portable_draft(clean, redact)
        new = NewMemory(
            project_id=project,
            session_id=ensure_session(context.store, caller, project, memory.created_at),
            title=clean.title,
            content=clean.content,
            tags=memory_draft.tags,
            kind=memory_draft.kind,
            source=redact(clean.source)[:50],
            extra=dated(memory_draft.extra, clean.created_at),
            created_at=clean.created_at,
            quote=redact(clean.quote),
        )
        seq = insert_portable(context.store, clean, new)
        insert_signatures(context.store, [(seq, memory_draft.entries)])
        imported += 1
        kinds[memory_draft.kind] += 1
    return Kept(imported, known, left, kinds=kinds)


def _portable_draft(memory: PortableMemory, redact: Redactor) -> Draft:
    kind = memory.kind if memory.kind in get_args(MemoryKind) else "note"
    request = SaveMemory(text=memory.content, title=memory.title, tags=memory.tags, kind=kind)  # pyright: ignore[reportArgumentType]  it is one of them
    return draft(redact, request)


def _project(memory: PortableMemory) -> ProjectRef | None:
    return (
        ProjectRef(memory.project, memory.project_name or memory.project.rsplit("/", 1)[-1]) if memory.project else None
    )
