"""`save_memory`: store a memory, and name similar ones."""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

from palimp_daemon.features.memories.linking import (
    ProposedLink,
    add_links,
    link_author,
    links_by_subject,
    links_claimed_in_text,
    links_named,
)
from palimp_daemon.features.memories.memory_names import one_named
from palimp_daemon.features.memories.recording import Doing, author_of, record
from palimp_daemon.features.memories.same_subject import NewMemoryText, OnSubject, on_same_subject
from palimp_daemon.search.differences import say_the_same
from palimp_daemon.search.index_terms import extra_of_text, with_date
from palimp_daemon.search.minhash import minhash_signature, normalize, text_key, words_of
from palimp_daemon.search.subject_words import subject_keys, subject_words
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import GLOBAL_PROJECT, Store, ensure_project, ensure_session
from palimp_daemon.store.tables.memory_rows import (
    NewMemory,
    Row,
    draw_id,
    insert_all,
    record_repeat,
    rows_by_seq,
    shown_id,
)
from palimp_daemon.store.tables.proposals import CAPTURED, confirm, propose, proposed_among
from palimp_daemon.store.tables.search.signatures import (
    Text,
    insert_signatures,
    same_memories,
    signature_entries,
    similar_among,
)
from palimp_daemon.store.tables.steps import Step, noting, storing_step
from palimp_daemon.store.tables.wishes import wish
from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.titles import title_from_text
from palimp_protocol.errors import RequestError
from palimp_protocol.limits import SUBJECT_SHOWN_MAX, TAGS_MAX
from palimp_protocol.messages.memory_messages import Saved, SaveMemory, Similar

ID: Final = re.compile(r"m[0-9a-zA-Z]{7,11}")


SAME_WORDS_MIN: Final = 0.6
"""Jaccard similarity by which a save confirms a proposal."""


class Draft(NamedTuple):
    """A memory to be stored, without facts from the store."""

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
    subject_keys: list[int]
    extra: str
    """Further text to index, without the date (`search.index_terms`)."""
    is_redacted: bool
    replaces: Sequence[str] = ()
    """Names of memories that it replaces."""
    narrows: Sequence[str] = ()
    """Names of memories that it narrows; they hold on elsewhere."""
    is_for_all: bool = False
    """Whether it goes to the global scope."""

    @property
    def existing_id(self) -> str:
        """The text if it is only an id, with `replaces` or `narrows`; else empty."""
        return self.content if (self.replaces or self.narrows) and ID.fullmatch(self.content) else ""

    @property
    def entries(self) -> list[int]:
        """Hashes for finding memories with the same text or subject."""
        return [*self.hashes, self.key, *self.subject_keys]


def draft(redact: Redactor, request: SaveMemory) -> Draft:
    """Return the draft of *request*, redacted.

    Raises:
        PalimpError: the text is blank.
    """
    content = redact(request.text).strip()
    if not content and request.text.strip():
        raise RequestError("text: all of it is private.", "Nothing was stored.")
    clean = SaveMemory(
        text=content,
        title=redact(request.title or ""),
        tags=[redact(tag) for tag in request.tags],
        kind=request.kind,
        source=redact(request.source),
        replaces=request.replaces,
        narrows=request.narrows,
        scope=request.scope,
    )
    asked = (request.text.strip(), request.title or "", request.tags, request.source)
    return draft_of(clean, is_redacted=(clean.text, clean.title, clean.tags, clean.source) != asked)


def draft_of(request: SaveMemory, *, is_redacted: bool = False) -> Draft:
    """Return the draft of *request*, already without secrets.

    Raises:
        PalimpError: the text is blank.
    """
    content = request.text.strip()
    if not content:
        raise RequestError("text: it is blank.", "Say what is to be remembered.")
    title = " ".join((request.title or "").split()) or title_from_text(content)
    words = words_of(content)
    return Draft(
        content=content,
        title=title,
        tags=normalized_tags(request.tags),
        kind=request.kind,
        source=request.source,
        words=words,
        hashes=minhash_signature(words),
        key=text_key(request.kind, content),
        subject_keys=subject_keys(subject_words(content)),
        extra=extra_of_text(title, content),
        is_redacted=is_redacted,
        replaces=request.replaces,
        narrows=request.narrows,
        is_for_all=request.scope == "global",
    )


def characters_of(request: SaveMemory) -> int:
    """Count the characters to search for secrets."""
    return sum(map(len, (request.text, request.title or "", request.source, *request.tags)))


def store_draft(context: RequestContext, memory: Draft) -> Saved:
    """Store *memory* in the caller's project."""
    return store_drafts([(context, memory)])[0]


def store_drafts(drafts: Sequence[tuple[RequestContext, Draft]]) -> list[Saved]:
    """Store each memory in its caller's project; all contexts have the same store.

    An agent's global memory waits in its project for a yes. An exact repeat is only recorded. A text that is an id only
    replaces that memory.

    Raises:
        PalimpError: a memory to replace is unknown or cannot be; the caller must roll back.
    """
    store = drafts[0][0].store
    texts = [place for place, (_, memory) in enumerate(drafts) if not memory.existing_id]
    done = dict(zip(texts, _store_texts([drafts[place] for place in texts]), strict=True)) if texts else {}
    for place, draft_of_id in enumerate(drafts):
        if place not in done:
            done[place] = _save_noting(store, partial(_link_existing, *draft_of_id))
    record(
        store,
        [
            (Doing("save", context.caller, context.now_ms), done[place].steps)
            for place, (context, _) in enumerate(drafts)
        ],
    )
    return [done[place].saved for place in range(len(drafts))]


class _Done(NamedTuple):
    saved: Saved
    steps: list[Step]


def _save_noting(store: Store, save: Callable[[], Saved], *before: Step) -> _Done:
    with noting(store) as steps:
        steps.extend(before)
        return _Done(save(), steps)


def _store_texts(drafts: Sequence[tuple[RequestContext, Draft]]) -> list[_Done]:
    store = drafts[0][0].store
    owners = [_owner(context, memory) for context, memory in drafts]
    proposed = [
        _proposed_links(context, owner, memory) for owner, (context, memory) in zip(owners, drafts, strict=True)
    ]
    texts = [
        Text(owner, memory.kind, memory.key, memory.content) for owner, (_, memory) in zip(owners, drafts, strict=True)
    ]
    saved: dict[int, _Done] = {}
    first_with: dict[tuple[int, str, str], int] = {}
    again: list[tuple[int, int]] = []
    for place, (text, seq) in enumerate(zip(texts, same_memories(store, texts), strict=True)):
        if seq is not None:
            saved[place] = _save_noting(store, partial(_record_repeat, *drafts[place], seq, proposed[place]))
        else:
            first = first_with.setdefault((text.project_id, text.kind, normalize(text.content)), place)
            if first != place:
                again.append((place, first))
    new = list(first_with.values())
    fresh = [_New(place, owners[place], *drafts[place], proposed[place]) for place in new]
    numbers = dict(zip(new, _store_new(fresh, saved), strict=True))
    for place, first in again:
        saved[place] = _save_noting(store, partial(_record_repeat, *drafts[place], numbers[first], proposed[place]))
    return [saved[place] for place in range(len(drafts))]


def _owner(context: RequestContext, memory: Draft) -> int:
    if memory.is_for_all and author_of(context.caller) == "user":
        return GLOBAL_PROJECT
    return ensure_project(context.store, context.caller, context.now_ms)


class _New(NamedTuple):
    place: int
    project: int
    context: RequestContext
    memory: Draft
    links: Sequence[ProposedLink]


class _Inserted(NamedTuple):
    seq: int
    shown_id: str
    new: _New
    subject: Sequence[OnSubject]
    entries: Sequence[int]
    """Memories that share hashes with it (`signature_entries`)."""


def _store_new(drafts: Sequence[_New], saved: dict[int, _Done]) -> list[int]:
    if not drafts:
        return []
    store = drafts[0].context.store
    inserted = _insert_drafts(store, drafts)
    for each in inserted:
        saved[each.new.place] = _save_noting(store, partial(_link_and_reply, store, each), storing_step(each.seq))
    return [each.seq for each in inserted]


def _insert_drafts(store: Store, drafts: Sequence[_New]) -> list[_Inserted]:
    new: list[NewMemory] = []
    ids: list[tuple[str, str]] = []
    for each in drafts:
        new.append(new_memory(each.context, each.project, each.memory))
        ids.append(draw_id(store, each.context.now_ms, each.context.random))
    subjects = on_same_subject(
        store,
        [
            NewMemoryText(
                m.project_id, m.title, m.content, m.kind, m.session_id, m.created_at, each.memory.subject_keys
            )
            for m, each in zip(new, drafts, strict=True)
        ],
    )
    first = insert_all(store, [(id_, each) for (id_, _), each in zip(ids, new, strict=True)])
    insert_signatures(store, [(seq, each.memory.entries) for seq, each in enumerate(drafts, first)])
    signatures = [(seq, each.memory.hashes) for seq, each in enumerate(drafts, first)]
    alike = signature_entries(store, signatures)
    return [
        _Inserted(seq, shown, each, subject, entries)
        for seq, (each, (_, shown), subject, entries) in enumerate(
            zip(drafts, ids, subjects, alike, strict=True), first
        )
    ]


def _link_and_reply(store: Store, inserted: _Inserted) -> Saved:
    seq, shown, new, subject, entries = inserted
    memory = new.memory
    similar = similar_among(store, entries, new.project, memory.words, memory.hashes)
    proposed = [*new.links, *_links_to_proposals(store, memory, [*similar, *(on.row for on in subject)])]
    proposed += links_by_subject(memory.kind, memory.content, subject)
    linked = add_links(new.context, rows_by_seq(store, [seq])[0], proposed) if proposed else []
    named = {link.older.seq for link in proposed if link.said_by != "inferred"}
    near = [row for row in similar if row.seq not in named]
    named |= {row.seq for row in near}
    others = [on.row for on in subject if on.row.seq not in named][: max(0, SUBJECT_SHOWN_MAX - len(near))]
    likely = {link.older.seq for link in proposed if link.said_by == "inferred"} | {row.seq for row in near}
    waits = memory.is_for_all and new.project != GLOBAL_PROJECT
    if waits:
        wish(store, [seq], new.context.now_ms)
    if new.context.saves_wait:
        propose(store, seq, new.context.now_ms)
    return Saved(
        id=shown,
        title=memory.title,
        similar=[Similar(shown_id(row), row.title) for row in near],
        same_subject=[Similar(shown_id(row), row.title) for row in others],
        unclear=[Similar(shown_id(row), row.title) for row in [*near, *others] if row.seq in likely],
        linked=[each for each in linked if each.said_by != "inferred"],
        is_redacted=memory.is_redacted,
        is_proposal=new.context.saves_wait,
        waits_for_all=waits,
    )


def _links_to_proposals(store: Store, memory: Draft, similar: Sequence[Row]) -> list[ProposedLink]:
    proposed = proposed_among(store, [row.seq for row in similar if row.source == CAPTURED])
    same = {row.seq: row for row in similar if row.seq in proposed and _say_alike(row, memory)}
    return [ProposedLink(row, "replaces", "text", "it says the same") for row in same.values()]


def _say_alike(row: Row, memory: Draft) -> bool:
    return any(
        say_the_same(text, memory.content)
        and len({*words_of(text)} & {*memory.words}) >= SAME_WORDS_MIN * len({*words_of(text)} | {*memory.words})
        for text in (row.content, row.quote)
    )


def _proposed_links(context: RequestContext, project: int, memory: Draft) -> list[ProposedLink]:
    said_by = link_author(context, memory.source)
    proposed = links_named(context, memory.replaces, "replaces", said_by) if memory.replaces else []
    proposed += links_named(context, memory.narrows, "narrows", said_by) if memory.narrows else []
    return [*proposed, *links_claimed_in_text(context, project, memory.content)]


def _record_repeat(context: RequestContext, memory: Draft, seq: int, proposed: Sequence[ProposedLink]) -> Saved:
    [row] = rows_by_seq(context.store, [seq])
    tags = list(dict.fromkeys([*row.tags.split(), *memory.tags]))[:TAGS_MAX]
    title = row.title if memory.title == title_from_text(memory.content) else memory.title
    record_repeat(context.store, row, title, tags, context.now_ms)
    if not context.saves_wait:
        confirm(context.store, [seq])
    linked = add_links(context, row, proposed)
    waits = memory.is_for_all and row.project_id != GLOBAL_PROJECT
    if waits:
        wish(context.store, [seq], context.now_ms)
    return Saved(
        id=shown_id(row),
        title=title,
        is_redacted=memory.is_redacted,
        is_known=True,
        linked=linked,
        is_proposal=context.saves_wait and seq in proposed_among(context.store, [seq]),
        waits_for_all=waits,
    )


def _link_existing(context: RequestContext, memory: Draft) -> Saved:
    row = one_named(context, memory.existing_id)
    linked = add_links(context, row, _proposed_links(context, row.project_id, memory))
    return Saved(id=shown_id(row), title=row.title, is_known=True, linked=linked)


def new_memory(context: RequestContext, project: int, memory: Draft, quote: str = "", *, at_ms: int = 0) -> NewMemory:
    """Return the row for *memory*, captured from *quote*, dated *at_ms*, when it was said."""
    created_at = at_ms if 0 < at_ms < context.now_ms else context.now_ms
    return NewMemory(
        project_id=project,
        session_id=ensure_session(context.store, context.caller, project, context.now_ms),
        title=memory.title,
        content=memory.content,
        tags=memory.tags,
        kind=memory.kind,
        source=memory.source,
        extra=with_date(memory.extra, created_at),
        created_at=created_at,
        quote=quote,
    )


def save_memory(context: RequestContext, request: SaveMemory) -> Saved:
    """Store *request*, redacted without the user's patterns, for benchmarks.

    Raises:
        PalimpError: the text is blank.
    """
    return store_draft(context, draft(Redactor(), request))


def normalized_tags(tags: list[str]) -> list[str]:
    """Return *tags* in lower case, with hyphens for white space, without repeats."""
    return list(dict.fromkeys("-".join(tag.lower().split()) for tag in tags if tag.strip()))
