"""The answer of `recall`: its rows, their links, and notes."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from palimp_daemon.features.memories.explained import parts_of, why_here
from palimp_daemon.features.memories.question import Question, question_of
from palimp_daemon.features.memories.save import normalized_tags
from palimp_daemon.search.engine import Filter
from palimp_daemon.search.match_positions import NO_STEMS, SearchStems
from palimp_daemon.search.memory_ranking import MemoryRank, answered_part
from palimp_daemon.search.ranking import Ranked
from palimp_daemon.search.snippet import RowText, row_text
from palimp_daemon.store.ids import shown_of
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.tables import memory_rows
from palimp_daemon.store.tables.memory_links import MemoryLink
from palimp_daemon.store.tables.memory_rows import Row
from palimp_daemon.store.tables.memory_subjects import entities_kept
from palimp_daemon.store.tables.mutes import muted_among
from palimp_daemon.store.tables.pins import pinned_in
from palimp_daemon.store.tables.proposals import proposed_among
from palimp_daemon.store.tables.sessions.conversation_rows import TURN
from palimp_daemon.store.tables.team_heard import FROM_TEAM, authors_of
from palimp_daemon.store.tables.wishes import wishes_among
from palimp_protocol.messages.memory_messages import Detail, Memory, Moment, Recall, Recalled, RowLink
from palimp_protocol.text import quote_text

NOT_PURGED: Final = Filter("m.deleted_at IS NULL")

BY_DATE: Final = "By date: a time, an order or a kind is asked for, and no words."
"""The reason shown with a row of a list."""

_OTHER_WAY: Final[Mapping[str, str]] = {
    "replaces": "replaced by",
    "narrows": "narrowed by",
    "disagrees": "disagrees",
}
"""The relation of a link's older memory to the newer one."""


class RecallRows(NamedTuple):
    """The rows of an answer, their total, and notes."""

    rows: list[Row]
    total: int
    wanted: SearchStems = NO_STEMS
    """The search's stems, to highlight."""
    ranks: Mapping[int, Ranked | MemoryRank] = {}
    """The search's ranks, by memory number."""
    links: Mapping[int, Sequence[MemoryLink]] = {}
    """The links shown with each row, by number."""
    others: Mapping[int, Row] = {}
    """The memories at the links' other ends, by number."""
    unrelated: Sequence[Row] = ()
    """Rows that answer too little but may be of use."""
    is_near: bool = False
    """Whether the first of the unrelated rows may answer."""
    notes: Sequence[str] = ()
    is_certain: bool = False
    """Whether a row has most of the question's words."""


def answer(context: RequestContext, request: Recall, found: RecallRows, detail: Detail) -> Recalled:
    """Return *found* as an answer in *detail*."""
    for row in (*found.rows, *(found.unrelated if found.is_near else ())):
        context.on_row(row)
    question = question_of(request, context.now_ms, context.zone) if request.explain and found.ranks else None
    told = partial(_row_answer, context, request, found, question)
    marked = _with_marks(context, found.rows, [told(row, detail) for row in found.rows])
    shown = _with_names(context, found.rows, marked)
    nearest = [told(row, "compact") for row in found.unrelated]
    return Recalled(
        action=request.action,
        detail=detail,
        query=_echo(request),
        memories=[] if detail == "timeline" else shown,
        timeline=_timeline(context, request, found.rows, shown) if detail == "timeline" else [],
        total=found.total,
        unrelated=_with_marks(context, found.unrelated, nearest),
        is_near=found.is_near,
        notes=list(found.notes),
        is_certain=found.is_certain,
    )


def _with_names(context: RequestContext, rows: Sequence[Row], shown: list[Memory]) -> list[Memory]:
    named = entities_kept(context.store, [row.seq for row in rows]) if rows and is_for_person(context) else {}
    return [
        replace(memory, names=[each.name for each in named[row.seq]]) if named.get(row.seq) else memory
        for row, memory in zip(rows, shown, strict=True)
    ]


def _with_marks(context: RequestContext, rows: Sequence[Row], shown: Sequence[Memory]) -> list[Memory]:
    store, seqs = context.store, [row.seq for row in rows]
    if not seqs:
        return []
    pinned = pinned_in(store, sorted({row.project_id for row in rows}))
    muted, proposed = muted_among(store, seqs), proposed_among(store, seqs)
    is_full = shown[0].content is not UNSET
    wished = wishes_among(store, seqs) if is_full else set[int]()
    if not (pinned or muted or proposed or wished):
        return [*shown]
    return [
        replace(
            memory,
            is_pinned=row.seq in pinned,
            is_muted=row.seq in muted,
            is_proposal=row.seq in proposed,
            waits_for_all=row.seq in wished,
            client=(row.client or "") if row.seq in proposed or row.seq in wished else memory.client,
        )
        for row, memory in zip(rows, shown, strict=True)
    ]


def _row_answer(
    context: RequestContext, request: Recall, found: RecallRows, question: Question | None, row: Row, detail: Detail
) -> Memory:
    memory = _memory(context, row, detail, found.wanted, request.mark)
    if (rank := found.ranks.get(row.seq)) is not None:
        memory = replace(memory, covered=round(answered_part(rank), 2) if isinstance(rank, MemoryRank) else None)
        if question:
            why = why_here(context, question, row, rank, found.wanted)
            memory = replace(memory, score=round(rank.score, 3), why=why)
            if is_for_person(context):
                memory = replace(memory, score_parts=parts_of(rank))
    elif request.explain and request.query:
        memory = replace(memory, why=BY_DATE)
    links = [_row_link(row.seq, link, found.others) for link in found.links.get(row.seq, ())]
    return replace(memory, links=links) if links else memory


def is_for_person(context: RequestContext) -> bool:
    """Tell whether a person asks: agents pay for each word."""
    return context.caller.session is None


def _row_link(seq: int, link: MemoryLink, others: Mapping[int, Row]) -> RowLink:
    is_older = link.older == seq
    other, newer = others[link.newer if is_older else link.older], others[link.newer]
    return RowLink(
        relation=_OTHER_WAY[link.relation] if is_older else link.relation,  # pyright: ignore[reportArgumentType]
        id=memory_rows.shown_id(other),
        title=other.title,
        at=newer.created_at,
        said_by=link.said_by,
    )


def _memory(context: RequestContext, row: Row, detail: Detail, wanted: SearchStems, mark: str) -> Memory:
    is_full = detail == "full"
    shown = (
        RowText("", "") if is_full else row_text(row.title, row.content, row.tags, wanted, context.store.stems, mark)
    )
    return Memory(
        id=memory_rows.shown_id(row),
        title=row.title,
        kind=row.kind,  # pyright: ignore[reportArgumentType]  the table holds only what a request allowed
        created_at=row.created_at,
        project=row.project,
        line=shown.line,
        snippet=shown.snippet,
        content=row.content if is_full else UNSET,
        quote=row.quote if is_full else "",
        tags=row.tags.split(),
        source=row.source,
        author=authors_of(context.store, [row.seq]).get(row.seq, "") if row.source == FROM_TEAM else "",
        session=row.session or "",
        client=(row.client or "") if row.kind == TURN or is_for_person(context) else "",
        updated_at=row.updated_at,
        purged_at=row.deleted_at,
        superseded_by=shown_of(row.superseded_by) if row.superseded_by else "",
    )


def _timeline(context: RequestContext, request: Recall, rows: list[Row], found: list[Memory]) -> list[Moment]:
    where = Filter("1") if request.include_purged else NOT_PURGED
    moments = {row.seq: Moment(memory=memory, is_hit=True) for row, memory in zip(rows, found, strict=True)}
    around = {each.seq: each for row in rows for each in memory_rows.beside(context.store, row, where)}
    beside = [each for each in around.values() if each.seq not in moments]
    shown = [_memory(context, each, "timeline", NO_STEMS, request.mark) for each in beside]
    for row, memory in zip(beside, _with_marks(context, beside, shown), strict=True):
        moments[row.seq] = Moment(memory=memory, is_hit=False)
    return [moment for _, moment in sorted(moments.items())]


def _echo(request: Recall) -> str:
    query = " ".join((request.query or "").split())
    parts = [query if '"' in query else f'"{query}"'] if query else []
    parts += [f"title ~ {quote_text(request.title.strip())}"] if request.title else []
    parts += [f"kind = {request.kind}"] if request.kind else []
    parts += [f"tag = {tag}" for tag in normalized_tags(request.tags)]
    times = {"since": request.since, "until": request.until, "as of": request.as_of}
    parts += [f"{name} {value.strip()}" for name, value in times.items() if value]
    return ", ".join(parts)
