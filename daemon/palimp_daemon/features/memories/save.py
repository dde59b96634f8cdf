"""`save_memory`: store one memory and name those that say nearly the same."""

from collections.abc import Sequence
from typing import NamedTuple

from palimp_daemon.search.index_terms import dated, extra_of_text
from palimp_daemon.search.minhash import minhash_signature, normalized, text_key, words_of
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import ensure_project, ensure_session
from palimp_daemon.store.tables.memories import NewMemory, draw_id, insert_all, rows_by_seq, say_again, shown_id
from palimp_daemon.store.tables.signatures import (
    Text,
    insert_signatures,
    same_memories,
    signature_entries,
    similar_among,
)
from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.titles import title_from_text
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import TAGS_MAX
from palimp_protocol.messages.memories import Saved, SaveMemory, Similar


class Draft(NamedTuple):
    """A memory as it will be stored, before anything is known of the store."""

    content: str
    title: str
    tags: list[str]
    kind: str
    source: str
    words: list[bytes]
    hashes: list[int]
    """The MinHash signature of *words*."""
    key: int
    """Of the whole text and the kind (`search.minhash.text_key`)."""
    extra: str
    """What is indexed besides, but for the date (`search.extra`)."""
    is_redacted: bool

    @property
    def entries(self) -> list[int]:
        """What is kept by which other memories that say the same find this one."""
        return [*self.hashes, self.key]


def draft(redact: Redactor, request: SaveMemory) -> Draft:
    """Return what *request* asks to store.

    Raises:
        PalimpError: the text is blank.
    """
    content = redact(request.text).strip()
    if not content:
        if request.text.strip():
            raise PalimpError(ErrorCode.BAD_REQUEST, "text: all of it is private.", "Nothing was stored.")
        raise PalimpError(ErrorCode.BAD_REQUEST, "text: it is blank.", "Say what is to be remembered.")
    title, source, tags = (
        redact(request.title or ""),
        redact(request.source),
        [redact(tag) for tag in request.tags],
    )
    asked = (request.text.strip(), request.title or "", request.source, request.tags)
    is_redacted = (content, title, source, tags) != asked
    title = " ".join(title.split()) or title_from_text(content)
    words = words_of(content)
    extra = extra_of_text(title, content)
    return Draft(
        content=content,
        title=title,
        tags=normalized_tags(tags),
        kind=request.kind,
        source=source,
        words=words,
        hashes=minhash_signature(words),
        key=text_key(request.kind, content),
        extra=extra,
        is_redacted=is_redacted,
    )


def store_draft(context: RequestContext, memory: Draft) -> Saved:
    """Store *memory* in the caller's project."""
    return store_drafts([(context, memory)])[0]


def store_drafts(drafts: Sequence[tuple[RequestContext, Draft]]) -> list[Saved]:
    """Store each memory in the project of its caller, one after the other; all request contexts are of one store.

    What is stored already, in exactly these words, is not stored again: it is said again (`memories.say_again`).
    """
    store = drafts[0][0].store
    owners = [ensure_project(store, context.caller, context.now_ms) for context, _ in drafts]
    texts = [
        Text(owner, memory.kind, memory.key, memory.content) for owner, (_, memory) in zip(owners, drafts, strict=True)
    ]
    saved: dict[int, Saved] = {}
    first_with: dict[tuple[int, str, str], int] = {}
    again: list[tuple[int, int]] = []
    for place, (text, seq) in enumerate(zip(texts, same_memories(store, texts), strict=True)):
        if seq is not None:
            saved[place] = _said_again(*drafts[place], seq)
        else:
            first = first_with.setdefault((text.project_id, text.kind, normalized(text.content)), place)
            if first != place:
                again.append((place, first))
    new = list(first_with.values())
    numbers = dict(zip(new, _store_new([(owners[place], *drafts[place]) for place in new], saved, new), strict=True))
    for place, first in again:
        saved[place] = _said_again(*drafts[place], numbers[first])
    return [saved[place] for place in range(len(drafts))]


def _store_new(
    drafts: Sequence[tuple[int, RequestContext, Draft]], saved: dict[int, Saved], places: Sequence[int]
) -> list[int]:
    """Store *drafts*, each with the row of its project, and put into *saved* what is answered; return their numbers."""
    if not drafts:
        return []
    store = drafts[0][1].store
    new: list[NewMemory] = []
    ids: list[tuple[str, str]] = []
    for owner, context, memory in drafts:
        new.append(new_memory(context, owner, memory))
        ids.append(draw_id(store, context.now_ms, context.random))
    first = insert_all(store, [(id_, each) for (id_, _), each in zip(ids, new, strict=True)])
    insert_signatures(store, [(seq, memory.entries) for seq, (*_, memory) in enumerate(drafts, first)])
    signatures = [(seq, memory.hashes) for seq, (*_, memory) in enumerate(drafts, first)]
    alike = signature_entries(store, signatures)
    for place, (owner, _, memory), (_, shown), entries in zip(places, drafts, ids, alike, strict=True):
        similar = similar_among(store, entries, owner, memory.words, memory.hashes)
        named = [Similar(shown_id(row), row.title) for row in similar]
        saved[place] = Saved(id=shown, title=memory.title, similar=named, is_redacted=memory.is_redacted)
    return list(range(first, first + len(drafts)))


def _said_again(context: RequestContext, memory: Draft, seq: int) -> Saved:
    """Note that the memory *seq* was said again by *memory*: with its tags, and its title if it has one of its own."""
    [row] = rows_by_seq(context.store, [seq])
    tags = list(dict.fromkeys([*row.tags.split(), *memory.tags]))[:TAGS_MAX]
    title = row.title if memory.title == title_from_text(memory.content) else memory.title
    say_again(context.store, row, title, tags, context.now_ms)
    return Saved(id=shown_id(row), title=title, is_redacted=memory.is_redacted, is_known=True)


def new_memory(context: RequestContext, project: int, memory: Draft, quote: str = "") -> NewMemory:
    """Return what is stored of *memory*, which rests on *quote* if it was captured."""
    return NewMemory(
        project_id=project,
        session_id=ensure_session(context.store, context.caller, project, context.now_ms),
        title=memory.title,
        content=memory.content,
        tags=memory.tags,
        kind=memory.kind,
        source=memory.source,
        extra=dated(memory.extra, context.now_ms),
        created_at=context.now_ms,
        quote=quote,
    )


def save_memory(context: RequestContext, request: SaveMemory) -> Saved:
    """Store what *request* asks for, with secrets redacted, but without the user's own patterns: as benchmarks do.

    Raises:
        PalimpError: the text is blank.
    """
    return store_draft(context, draft(Redactor(), request))


def normalized_tags(tags: list[str]) -> list[str]:
    """Return *tags* in lower case, inner white space as hyphens, each once, in order."""
    return list(dict.fromkeys("-".join(tag.lower().split()) for tag in tags if tag.strip()))
