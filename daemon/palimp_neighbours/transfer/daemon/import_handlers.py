"""Store imports, each once and redacted; nothing is silently left out."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple, get_args

from msgspec.structs import replace

from palimp_daemon.features.memories.save import Draft, draft_of, new_memory
from palimp_daemon.search.index_terms import with_date
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import ensure_project, ensure_session
from palimp_daemon.store.tables.import_origins import imported_as, note_imported, replace_imported
from palimp_daemon.store.tables.memory_rows import NewMemory, insert, set_purged
from palimp_daemon.store.tables.search.signatures import Text, insert_signatures, same_memories
from palimp_daemon.store.tables.team_erased import ERASED, is_text_erased
from palimp_daemon.store.tables.team_registers import is_erased_anywhere
from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.rules.validity import check_without_secrets, problem_with
from palimp_neighbours.transfer.daemon.portable import (
    content_of,
    insert_portable,
)
from palimp_neighbours.transfer.daemon.record import Incoming, LeftOut, without_secrets
from palimp_neighbours.transfer.transfer_messages import PortableMemory, PortableRule
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.messages.memory_messages import MemoryKind, SaveMemory


class Kept(NamedTuple):
    """Outcome of storing some records."""

    imported: int
    known: int
    left: list[LeftOut]
    updated: int = 0
    kinds: Mapping[str, int] = {}


PURGED: Final = "it was deleted here, and has changed there"
PRIVATE: Final = "all of it is private"

SOURCE_CHARACTERS_MAX: Final = 50
"""Characters of a memory's source, as when it is saved."""


class Prepared(NamedTuple):
    """A redacted record with its memory, or the reason for none."""

    record: Incoming
    memory: Draft | None
    why: str = ""


def prepare_all(records: Sequence[Incoming], redact: Redactor) -> list[Prepared]:
    """Redact *records* and make memories, a note's pieces together."""
    return [_prepare(record) for record in without_secrets(records, redact)]


def _prepare(record: Incoming) -> Prepared:
    kind = record.kind if record.kind in get_args(MemoryKind) else "note"
    try:
        asked = SaveMemory(
            text=record.content,
            title=record.title or None,
            tags=[tag for tag in record.tags if tag.strip()],
            kind=kind,  # pyright: ignore[reportArgumentType]  it is one of them
            source=record.source,
        )
        return Prepared(record, draft_of(asked))
    except PalimpError:
        return Prepared(record, None, PRIVATE)


def keep_incoming(context: RequestContext, incoming: Sequence[Prepared]) -> Kept:
    """Store *incoming* records in the caller's project; changed ones replace their memories."""
    project = ensure_project(context.store, context.caller, context.now_ms)
    known = updated = imported = 0
    left: list[LeftOut] = []
    kinds: Counter[str] = Counter()
    for record, memory, why in incoming:
        if record.id and content_of(context.store, record.id) == record.content:
            known += 1
            continue
        if memory and is_text_erased(context.store, memory.content):
            memory, why = None, ERASED  # noqa: PLW2901  it is left out
        outcome = _keep(context, project, record, memory) if memory else "left"
        if memory and record.part == record.parts - 1:
            part = record.part + 1
            while (piece := imported_as(context.store, project, _piece(record.origin, part))) is not None:
                if not piece.is_purged:
                    set_purged(context.store, piece.seq, context.now_ms)
                part += 1
        if memory is None or outcome == "purged":
            left.append(LeftOut(record.title or record.origin[:60], why or PURGED))
            continue
        known += outcome == "known"
        updated += outcome == "updated"
        imported += outcome == "imported"
        kinds[memory.kind] += outcome in ("imported", "updated")
    return Kept(imported, known, left, updated, {kind: count for kind, count in kinds.items() if count})


def all_kept(parts: Iterable[Kept]) -> Kept:
    """Add up the outcomes of *parts*."""
    imported = known = updated = 0
    left: list[LeftOut] = []
    kinds: Counter[str] = Counter()
    for part in parts:
        imported, known, updated = imported + part.imported, known + part.known, updated + part.updated
        left += part.left
        kinds.update(part.kinds)
    return Kept(imported, known, left, updated, dict(kinds))


def _keep(
    context: RequestContext, project: int, record: Incoming, memory: Draft
) -> Literal["imported", "updated", "known", "purged"]:
    store, origin = context.store, _piece(record.origin, record.part)
    before = imported_as(store, project, origin)
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


def _time_of(context: RequestContext, created_at: int | None) -> int:
    return created_at if created_at is not None and 0 < created_at <= context.now_ms else context.now_ms


class Portable(NamedTuple):
    """A redacted memory of our export, with its draft."""

    memory: PortableMemory
    draft: Draft


def portable(memories: Sequence[PortableMemory], redact: Redactor) -> list[Portable]:
    """Return *memories* redacted."""
    return [_portable(memory, redact) for memory in memories]


def _portable(memory: PortableMemory, redact: Redactor) -> Portable:
    clean = replace(
        memory,
        content=redact(memory.content),
        title=redact(memory.title),
        tags=[redact(tag) for tag in memory.tags],
        source=redact(memory.source)[:SOURCE_CHARACTERS_MAX],
        quote=redact(memory.quote),
        links=[replace(link, said=redact(link.said)) for link in memory.links],
        rule=_rule(memory.rule, redact) if memory.rule else None,
    )
    kind = memory.kind if memory.kind in get_args(MemoryKind) else "note"
    request = SaveMemory(text=clean.content or PRIVATE, title=clean.title, tags=clean.tags, kind=kind)  # pyright: ignore[reportArgumentType]  it is one of them
    return Portable(clean, draft_of(request))


def _rule(rule: PortableRule, redact: Redactor) -> PortableRule:
    """Redact *rule*, without checks that no person could have made here."""
    own = tuple(check_without_secrets(each, redact) for each in rule.own or () if not problem_with(each))
    return replace(rule, own=own or None)


def keep_portable(context: RequestContext, memories: Sequence[Portable], *, here: bool) -> Kept:
    """Store new memories of our export under their ids: in their projects, or all *here*."""
    imported = known = 0
    left: list[LeftOut] = []
    kinds: Counter[str] = Counter()
    for memory, made in memories:
        there = content_of(context.store, memory.id)
        if there is not None or not memory.content.strip():
            known += there == memory.content
            if there != memory.content:
                left.append(LeftOut(memory.id, PRIVATE if there is None else "another memory here has this id"))
            continue
        if is_erased_anywhere(context.store, memory.id) or is_text_erased(context.store, memory.content):
            left.append(LeftOut(memory.id, ERASED))
            continue
        owner = context.caller.project if here else _project(memory)
        session = SessionRef(memory.session, memory.client) if memory.session else None
        caller = Caller(owner, session)
        project = ensure_project(context.store, caller, context.now_ms)
        new = NewMemory(
            project_id=project,
            session_id=ensure_session(context.store, caller, project, memory.created_at),
            title=memory.title,
            content=memory.content,
            tags=made.tags,
            kind=made.kind,
            source=memory.source,
            extra=with_date(made.extra, memory.created_at),
            created_at=memory.created_at,
            quote=memory.quote,
        )
        seq = insert_portable(context.store, memory, new)
        insert_signatures(context.store, [(seq, made.entries)])
        imported += 1
        kinds[made.kind] += 1
    return Kept(imported, known, left, kinds=kinds)


def _project(memory: PortableMemory) -> ProjectRef | None:
    return (
        ProjectRef(memory.project, memory.project_name or memory.project.rsplit("/", 1)[-1]) if memory.project else None
    )
