"""`edit`: another version of a memory. The former one stays as it is, under its id, and is replaced."""

from typing import get_args

from palimp_daemon.features.memories.linking import ProposedLink, add_links, link_author
from palimp_daemon.features.memories.names import one_named
from palimp_daemon.features.memories.recording import recording
from palimp_daemon.features.memories.save import draft, new_memory
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.tables.memories import Row, insert, rows_by_seq, shown_id
from palimp_daemon.store.tables.signatures import insert_signatures
from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.titles import title_from_text
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import TITLE_CHARACTERS_MAX
from palimp_protocol.messages.links import Edited, EditMemory
from palimp_protocol.messages.memories import MemoryKind, SaveMemory


def edit(redact: Redactor, context: RequestContext, request: EditMemory) -> Edited:
    """Store the version that *request* asks for: of the same kind, and pinned if the former one is.

    Raises:
        PalimpError: there is no such memory, it is purged, another has its place already, or the text is blank.
    """
    former = one_named(context, request.id)
    if former.deleted_at is not None:
        raise _refused(f"{shown_id(former)} is purged.", "Restore it first: palimp restore ID.")
    if former.superseded_by is not None:
        raise _refused(
            f"{shown_id(former)} was replaced by {shown_id(one_named(context, former.superseded_by))}.",
            "Edit that one.",
        )
    memory = draft(redact, _asked(former, request))
    same = (memory.content, memory.title, memory.tags) == (former.content, former.title, former.tags.split())
    if same:
        shown = shown_id(former)
        return Edited(id=shown, title=former.title, former=shown, is_unchanged=True)
    new = new_memory(context, former.project_id, memory)
    with recording(context, "edit"):
        seq, shown = insert(context.store, new, context.random)
        insert_signatures(context.store, [(seq, memory.entries)])
        [row] = rows_by_seq(context.store, [seq])
        add_links(context, row, [ProposedLink(former, "replaces", link_author(context))], is_edit=True)
    return Edited(id=shown, title=memory.title, former=shown_id(former), is_redacted=memory.is_redacted)


def _asked(former: Row, request: EditMemory) -> SaveMemory:
    """Return the version as a memory: a title that somebody chose stays, one that was made of the text is made anew."""
    chosen = former.title if former.title != title_from_text(former.content) else None
    kind = former.kind if former.kind in get_args(MemoryKind) else "note"
    return SaveMemory(
        text=request.text,
        title=request.title if request.title is not None else chosen and chosen[:TITLE_CHARACTERS_MAX],
        tags=former.tags.split() if request.tags is None else request.tags,
        kind=kind,  # pyright: ignore[reportArgumentType]  it is one of them
        source=former.source[:50],
    )


def _refused(text: str, hint: str) -> PalimpError:
    return PalimpError(ErrorCode.BAD_REQUEST, text, f"{hint} Nothing was changed.")
