"""`save_memory`: store one memory and name those that say nearly the same."""

from collections.abc import Sequence
from typing import NamedTuple

from palimp_daemon.capture.redact import redacted
from palimp_daemon.operations.desk import Desk
from palimp_daemon.search.extra import dated, extra_of_text
from palimp_daemon.search.sketch import sketch, words_of
from palimp_daemon.store.memories import NewMemory, draw_id, insert_all, shown_id
from palimp_daemon.store.sketches import insert_sketches, similar_among, sketch_entries
from palimp_daemon.store.store import ensure_project, ensure_session
from palimp_daemon.titles import title_from_text
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.operations import Saved, SaveMemory, Similar


class Draft(NamedTuple):
    """A memory as it will be stored, before anything is known of the store."""

    content: str
    title: str
    tags: list[str]
    kind: str
    source: str
    words: list[bytes]
    hashes: list[int]
    """The sketch of *words*."""
    extra: str
    """What is indexed besides, but for the date (`search.extra`)."""
    is_redacted: bool


def draft(request: SaveMemory) -> Draft:
    """Return what *request* asks to store.

    Raises:
        PalimpError: the text is blank.
    """
    content = redacted(request.text).strip()
    if not content:
        if request.text.strip():
            raise PalimpError(ErrorCode.BAD_REQUEST, "text: all of it is private.", "Nothing was stored.")
        raise PalimpError(ErrorCode.BAD_REQUEST, "text: it is blank.", "Say what is to be remembered.")
    title, source, tags = (
        redacted(request.title or ""),
        redacted(request.source),
        [redacted(tag) for tag in request.tags],
    )
    asked = (request.text.strip(), request.title or "", request.source, request.tags)
    is_redacted = (content, title, source, tags) != asked
    title = " ".join(title.split()) or title_from_text(content)
    words = words_of(content)
    extra = extra_of_text(title, content)
    return Draft(content, title, normalized_tags(tags), request.kind, source, words, sketch(words), extra, is_redacted)


def store_draft(desk: Desk, memory: Draft) -> Saved:
    """Store *memory* in the caller's project."""
    return store_drafts([(desk, memory)])[0]


def store_drafts(drafts: Sequence[tuple[Desk, Draft]]) -> list[Saved]:
    """Store each memory in the project of its caller, one after the other; all desks are of one store."""
    store = drafts[0][0].store
    new: list[NewMemory] = []
    ids: list[tuple[str, str]] = []
    for desk, memory in drafts:
        new.append(new_memory(desk, ensure_project(store, desk.caller, desk.now_ms), memory))
        ids.append(draw_id(store, desk.now_ms, desk.random))
    first = insert_all(store, [(id_, each) for (id_, _), each in zip(ids, new, strict=True)])
    sketches = [(seq, memory.hashes) for seq, (_, memory) in enumerate(drafts, first)]
    insert_sketches(store, sketches)
    saved: list[Saved] = []
    for (_, memory), each, (_, shown), entries in zip(drafts, new, ids, sketch_entries(store, sketches), strict=True):
        similar = similar_among(store, entries, each.project_id, memory.words, memory.hashes)
        named = [Similar(shown_id(row), row.title) for row in similar]
        saved.append(Saved(id=shown, title=memory.title, similar=named, is_redacted=memory.is_redacted))
    return saved


def new_memory(desk: Desk, project: int, memory: Draft, quote: str = "") -> NewMemory:
    """Return what is stored of *memory*, which rests on *quote* if it was captured."""
    return NewMemory(
        project_id=project,
        session_id=ensure_session(desk.store, desk.caller, project, desk.now_ms),
        title=memory.title,
        content=memory.content,
        tags=memory.tags,
        kind=memory.kind,
        source=memory.source,
        extra=dated(memory.extra, desk.now_ms),
        created_at=desk.now_ms,
        quote=quote,
    )


def save_memory(desk: Desk, request: SaveMemory) -> Saved:
    """Store what *request* asks for.

    Raises:
        PalimpError: the text is blank.
    """
    return store_draft(desk, draft(request))


def normalized_tags(tags: list[str]) -> list[str]:
    """Return *tags* in lower case, inner white space as hyphens, each once, in order."""
    return list(dict.fromkeys("-".join(tag.lower().split()) for tag in tags if tag.strip()))
