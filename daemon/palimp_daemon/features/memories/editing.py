"""`edit`: replace a memory by a new version; the former keeps its id."""

from typing import NamedTuple, get_args

from msgspec.structs import replace

from palimp_daemon.features.memories.linking import ProposedLink, add_links, link_author
from palimp_daemon.features.memories.memory_names import one_named
from palimp_daemon.features.memories.recording import author_of, recording
from palimp_daemon.features.memories.save import draft_of, new_memory
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import GLOBAL_PROJECT
from palimp_daemon.store.tables.memory_rows import Row, insert, rows_by_seq, shown_id
from palimp_daemon.store.tables.proposals import propose
from palimp_daemon.store.tables.search.signatures import insert_signatures
from palimp_daemon.store.tables.wishes import wish, wishes_among
from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.titles import title_from_text
from palimp_protocol.errors import PalimpError, RequestError
from palimp_protocol.limits import TITLE_CHARACTERS_MAX
from palimp_protocol.messages.links import Edited, EditMemory
from palimp_protocol.messages.memory_messages import MemoryKind, SaveMemory


class CleanEdit(NamedTuple):
    """An edit request without secrets."""

    request: EditMemory
    is_redacted: bool


def with_clean_texts(redact: Redactor, request: EditMemory) -> CleanEdit:
    """Return *request* with secrets redacted.

    Raises:
        PalimpError: all of its text is private.
    """
    clean = replace(
        request,
        text=redact(request.text).strip(),
        title=None if request.title is None else redact(request.title),
        tags=None if request.tags is None else [redact(tag) for tag in request.tags],
    )
    if not clean.text and request.text.strip():
        raise _refusal("text: all of it is private.", "")
    return CleanEdit(clean, clean != replace(request, text=request.text.strip()))


def characters_of(request: EditMemory) -> int:
    """Count the characters to search for secrets."""
    return sum(map(len, (request.text, request.title or "", *(request.tags or []))))


def edit(context: RequestContext, clean: CleanEdit) -> Edited:
    """Store the new version; kind and pin default to the former's.

    Raises:
        PalimpError: the memory is unknown, purged or replaced, the text blank, or an agent edits a global memory.
    """
    request = clean.request
    former = one_named(context, request.id)
    if former.deleted_at is not None:
        raise _refusal(f"{shown_id(former)} is purged.", "Restore it first: palimp restore ID.")
    if former.project_id == GLOBAL_PROJECT and context.caller.project and author_of(context.caller) == "agent":
        hint = "Save what holds in this project, and narrow it."
        raise _refusal(f"{shown_id(former)} holds in all projects: only a person edits it.", hint)
    if former.superseded_by is not None:
        raise _refusal(
            f"{shown_id(former)} was replaced by {shown_id(one_named(context, former.superseded_by))}.",
            "Edit that one.",
        )
    memory = draft_of(_save_request(former, request), is_redacted=clean.is_redacted)
    same = (memory.content, memory.title, memory.tags) == (former.content, former.title, former.tags.split())
    if same and request.kind in (None, former.kind):
        shown = shown_id(former)
        return Edited(id=shown, title=former.title, former=shown, is_unchanged=True)
    new = new_memory(context, former.project_id, memory)
    with recording(context, "edit"):
        seq, shown = insert(context.store, new, context.random)
        insert_signatures(context.store, [(seq, memory.entries)])
        [row] = rows_by_seq(context.store, [seq])
        add_links(context, row, [ProposedLink(former, "replaces", link_author(context))], is_edit=True)
        if context.saves_wait:
            propose(context.store, seq, context.now_ms)
        if wishes_among(context.store, [former.seq]):
            wish(context.store, [seq], context.now_ms)
    return Edited(id=shown, title=memory.title, former=shown_id(former), is_redacted=memory.is_redacted)


def _save_request(former: Row, request: EditMemory) -> SaveMemory:
    chosen = former.title if former.title != title_from_text(former.content) else None
    kind = request.kind or (former.kind if former.kind in get_args(MemoryKind) else "note")
    return SaveMemory(
        text=request.text,
        title=request.title if request.title is not None else chosen and chosen[:TITLE_CHARACTERS_MAX],
        tags=former.tags.split() if request.tags is None else request.tags,
        kind=kind,  # pyright: ignore[reportArgumentType]  it is one of them
        source=former.source[:50],
    )


def _refusal(text: str, hint: str) -> PalimpError:
    return RequestError(text, f"{hint} Nothing was changed.".strip())
