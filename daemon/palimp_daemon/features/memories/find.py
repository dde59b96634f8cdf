"""Recall by description; without words, list.

A time or kind read from the words, but no argument, is dropped with a note if nothing matches. If nothing answers well
(`search.silence`), a query for a kind alone lists it; else the best rows are listed apart.
"""

from collections.abc import Sequence
from typing import Final

from palimp_daemon.features.memories.question import Question, held_before, question_of
from palimp_daemon.features.memories.recall_answer import NOT_PURGED, RecallRows
from palimp_daemon.features.memories.save import normalized_tags
from palimp_daemon.features.memories.time_span import as_of_ms, span_of
from palimp_daemon.features.memories.version_rows import newest_by_links, rows_with_links
from palimp_daemon.search.engine import Filter
from palimp_daemon.search.memory_ranking import MemoryRank, Time
from palimp_daemon.search.quotation import is_quotation
from palimp_daemon.search.ranking import Ranked
from palimp_daemon.search.silence import answers, is_certain, may_answer
from palimp_daemon.store.checks.derived_indexes import WORDS
from palimp_daemon.store.checks.rebuild import notes_of_rebuilding
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store, scope_rows
from palimp_daemon.store.tables import memory_rows
from palimp_daemon.store.tables.memory_links import MemoryLink, newest_versions, telling_links_among
from palimp_daemon.store.tables.memory_rows import Row, Selection
from palimp_daemon.store.tables.project_sizes import count_memories
from palimp_daemon.store.tables.search.first_mention import first_mention
from palimp_daemon.store.tables.search.memory_query import SearchRequest, SemanticQuery
from palimp_daemon.store.tables.search.memory_search import look_ahead, matching
from palimp_daemon.store.tables.team_heard import by_author, in_team_scope
from palimp_protocol.messages.memory_messages import Recall
from palimp_protocol.text import verb

WIDEN_FACTOR: Final = 8
WIDEN_MAX: Final = 1_600
"""A search with exact duplicates in its results is repeated with WIDEN_FACTOR times the limit, up to WIDEN_MAX memories
(20 ms)."""

UNRELATED_MAX: Final = 3
"""Rows returned although they answer too little: more would distract."""

CHAIN_STEPS: Final = 4
"""Replacements followed from a row, which shows the newest (`version_rows.FOLDED_MAX`)."""

NO_SUCH_TIME: Final = "No memory of that kind and time was found; these are others."


def find_memories(context: RequestContext, request: Recall) -> RecallRows:
    """Return the memories that match *request*, best or newest first."""
    question = _question(context, request)
    if question.text.strip():
        found = _search_with_fallback(context, request, question)
        return found if found.is_certain else _of_kind(context, request, question) or found
    found = _list_memories(context, request, question)
    if found.rows or not (request.query and request.query.strip()):
        return found
    found = _search_with_fallback(context, request, Question(request.query))
    return found._replace(notes=[*question.notes, NO_SUCH_TIME, *found.notes]) if found.rows else found


def _of_kind(context: RequestContext, request: Recall, question: Question) -> RecallRows | None:
    """List a kind if *question* asks for nothing else."""
    from palimp_daemon.text.times.subjects import kinds_alone  # noqa: PLC0415  read with the first question

    kinds = kinds_alone(question.text) if question == Question(question.text) and not request.kind else ()
    if not kinds:
        return None
    found = _list_memories(context, request, Question("", kinds=kinds))
    note = f"Only a kind is asked for: {' or '.join(kinds)}, newest first."
    return found._replace(notes=[note, *found.notes]) if found.rows else None


def search_ahead(context: RequestContext, request: Recall) -> None:
    """Do the lexical part of a search while vectors are made."""
    question = _question(context, request)
    if question.text.strip():
        look_ahead(context.store, _search_request(context, request, question, request.limit))


def _question(context: RequestContext, request: Recall) -> Question:
    question = question_of(request, context.now_ms, context.zone)
    if question.successor is None:
        return question
    projects = scope_rows(context.store, context.caller, request.scope)
    first_ms = first_mention(context.store, projects, question.successor.name)
    return question if first_ms is None else held_before(question, first_ms, context.zone)


# --- lists ---------------------------------------------------------------------------------------


def _list_memories(context: RequestContext, request: Recall, question: Question) -> RecallRows:
    """List memories. A page covers a fixed slice, and is shorter without duplicates."""
    projects = scope_rows(context.store, context.caller, request.scope)
    kinds = [request.kind] if request.kind else question.kinds
    selection = Selection(projects, kinds, conditions(context, request, question))
    is_page = request.offset is not None
    limit = request.limit
    while True:
        rows, total = _page(context.store, request, selection, limit, oldest_first=question.order == "oldest")
        left = memory_rows.distinct(rows)
        repeated = len(rows) - len(left)
        is_enough = is_page or not repeated or len(left) >= request.limit
        if is_enough or len(rows) < limit or limit >= WIDEN_MAX:
            break
        limit = min(limit * WIDEN_FACTOR, WIDEN_MAX)
    notes = [*question.notes, *_repetition_notes(repeated)]
    listed = RecallRows(left[: request.limit], total if is_page else total - repeated, notes=notes)
    return _with_links(context, request, listed, _filter_of(context, request, question), of_the_past=True)


def _page(
    store: Store, request: Recall, selection: Selection, limit: int, *, oldest_first: bool
) -> tuple[list[Row], int]:
    offset = request.offset or 0
    if not request.include_purged:
        return memory_rows.by_time(store, selection, limit, offset, oldest_first=oldest_first)
    purged, others = (
        selection._replace(where=all_of([selection.where, state]))
        for state in (Filter("m.deleted_at IS NOT NULL"), NOT_PURGED)
    )
    first, purged_total = memory_rows.by_time(store, purged, limit, offset, oldest_first=oldest_first)
    rest = limit - len(first)
    behind, others_total = memory_rows.by_time(
        store, others, max(rest, 1), max(0, offset - purged_total), oldest_first=oldest_first
    )
    return [*first, *behind[:rest]], purged_total + others_total


# --- searches ------------------------------------------------------------------------------------


def _search_with_fallback(context: RequestContext, request: Recall, question: Question) -> RecallRows:
    found = _search_distinct(context, request, question)
    if not found.rows and (question.noted or question.kinds):
        found = _search_distinct(context, request, question._replace(noted=None, kinds=()))
        found = found._replace(notes=[NO_SUCH_TIME, *found.notes]) if found.rows else found
    notes = [*question.notes, *found.notes]
    quoting = [row.content for row in found.rows if _has_all_words(found.ranks.get(row.seq))]
    of_the_past = question.is_of_past or bool(question.noted) or is_quotation(question.text, quoting)
    fitting = _filter_of(context, request, question)
    found = found._replace(notes=notes)
    if not found.unrelated:
        return _with_links(context, request, found, fitting, of_the_past=of_the_past)
    doubtful = found._replace(rows=found.unrelated)  # of these, too, what holds now stands for what it replaced
    folded = _with_links(context, request, doubtful, fitting, of_the_past=of_the_past)
    return folded._replace(rows=[], total=0, unrelated=folded.rows[:UNRELATED_MAX])


def _search_distinct(context: RequestContext, request: Recall, question: Question) -> RecallRows:
    projects = scope_rows(context.store, context.caller, request.scope)
    semantic = SemanticQuery(context.query_vectors, projects) if context.query_vectors else None
    limit = request.limit
    while True:
        asked = _search_request(context, request, question, limit)._replace(semantic=semantic)
        found = matching(context.store, asked, context.now_ms)
        rows = memory_rows.rows_by_seq(context.store, [each.seq for each in found.ranked])
        left = memory_rows.distinct(rows)
        repeated = len(rows) - len(left)
        if not repeated or len(left) >= request.limit or len(rows) < limit or limit >= WIDEN_MAX:
            break
        limit = min(limit * WIDEN_FACTOR, WIDEN_MAX)
    ranks = {each.seq: each for each in found.ranked}
    notes = [*found.notes, *notes_of_rebuilding(context.store, WORDS), *_repetition_notes(repeated)]
    left = left[: request.limit]
    is_list = found.is_loose or question.order or question.noted or question.held_at or question.is_past
    compared, words, lacks = found.compared, found.asked_words, found.lacks_name
    is_semantic = semantic is not None
    known = count_memories(context.store, projects)
    if left and not (is_list or answers(compared, words, lacks_name=lacks, is_semantic=is_semantic, memories=known)):
        near = may_answer(compared, words, lacks_name=lacks, is_semantic=is_semantic)
        return RecallRows([], 0, found.wanted, ranks, unrelated=left, is_near=near, notes=notes)
    return RecallRows(
        left,
        found.total - repeated,
        found.wanted,
        ranks,
        notes=notes,
        is_certain=is_certain(found.compared, found.asked_words),
    )


def _has_all_words(rank: Ranked | MemoryRank | None) -> bool:
    return isinstance(rank, MemoryRank) and rank.has_all_words


def _search_request(context: RequestContext, request: Recall, question: Question, limit: int) -> SearchRequest:
    projects = scope_rows(context.store, context.caller, request.scope)
    return SearchRequest(
        question.text,
        _filter_of(context, request, question),
        limit,
        is_spelled=context.is_spelled,
        projects=tuple(projects),
        project=context.caller.project.name if context.caller.project else "",
        span=span_asked(context, request, question),
        time=Time(question.is_past, question.held_at, "first" if question.is_beginning else question.order),
    )


def _filter_of(context: RequestContext, request: Recall, question: Question) -> Filter:
    projects = scope_rows(context.store, context.caller, request.scope)
    kinds = [request.kind] if request.kind else question.kinds
    of_kinds = [Filter(f"m.kind IN ({', '.join('?' * len(kinds))})", tuple(kinds))] if kinds else []
    return all_of([memory_rows.in_scope(projects), *of_kinds, conditions(context, request, question)])


def span_asked(context: RequestContext, request: Recall, question: Question) -> tuple[int, int] | None:
    """Return the half-open span asked for, Unix milliseconds; None: any time."""
    spans = (
        [span_of(request.since, request.until, context.now_ms, context.zone)] if request.since or request.until else []
    )
    spans += [question.noted] if question.noted else []
    return (max(first for first, _ in spans), min(end for _, end in spans)) if spans else None


def conditions(context: RequestContext, request: Recall, question: Question) -> Filter:
    """Return the filter for all but words, projects and kinds."""
    parts = [Filter("1") if request.include_purged else NOT_PURGED]
    if request.scope in ("mine", "team"):
        parts.append(in_team_scope(request.scope))
    parts += [by_author(request.author)] if request.author else []
    parts += [memory_rows.of_client(request.client)] if request.client else []
    if (span := span_asked(context, request, question)) is not None:
        parts.append(Filter("m.created_at >= ? AND m.created_at < ?", span))
    if (end := _as_of(context, request)) is not None:
        parts.append(Filter("m.created_at < ?", (end,)))
    if request.title:
        parts.append(Filter("instr(lower(m.title), lower(?)) > 0", (request.title.strip(),)))
    parts += [Filter("instr(' ' || m.tags || ' ', ?) > 0", (f" {tag} ",)) for tag in normalized_tags(request.tags)]
    return all_of(parts)


def _as_of(context: RequestContext, request: Recall) -> int | None:
    return as_of_ms(request.as_of, context.now_ms, context.zone) if request.as_of else None


def all_of(parts: Sequence[Filter]) -> Filter:
    """Return the conjunction of *parts*."""
    return Filter(" AND ".join(part.sql for part in parts), tuple(value for part in parts for value in part.values))


def _repetition_notes(count: int) -> list[str]:
    return (
        [f"{count:,} more that {verb(count, 'says', 'say')} exactly the same {verb(count)} not repeated."]
        if count
        else []
    )


# --- what was replaced ---------------------------------------------------------------------------


def _with_links(
    context: RequestContext, request: Recall, found: RecallRows, fitting: Filter, *, of_the_past: bool
) -> RecallRows:
    seqs = [row.seq for row in found.rows]
    links = _links_around(context, seqs)
    if not links:
        return found
    rows = {row.seq: row for row in found.rows}
    ends = {end for link in links for end in (link.newer, link.older)} - rows.keys()
    rows |= {row.seq: row for row in memory_rows.rows_by_seq(context.store, sorted(ends))}
    if (as_of := _as_of(context, request)) is not None:
        links = [link for link in links if rows[link.newer].created_at < as_of]
        holding = newest_by_links(links)
    else:
        holding = newest_versions(context.store, seqs)
        rows |= {
            row.seq: row for row in memory_rows.rows_by_seq(context.store, sorted({*holding.values()} - rows.keys()))
        }
    standing = {*seqs, *memory_rows.fitting(context.store, sorted({*holding.values()} - {*seqs}), fitting)}
    holding = {seq: newer for seq, newer in holding.items() if newer in standing}
    told = rows_with_links(seqs, holding, links, of_the_past=of_the_past, tells_all=request.explain)
    ranks = dict(found.ranks)
    for seq in seqs:  # what stands for another is as good an answer
        if seq in ranks:
            ranks.setdefault(holding.get(seq, seq), ranks[seq])
    return found._replace(
        rows=[rows[each.seq] for each in told],
        total=found.total - len(found.rows) + len(told),
        ranks=ranks,
        links={each.seq: each.links for each in told},
        others=rows,
    )


def _links_around(context: RequestContext, seqs: Sequence[int]) -> list[MemoryLink]:
    known: dict[int, MemoryLink] = {}
    asked: set[int] = set()
    looked_at = set(seqs)
    for _ in range(CHAIN_STEPS):
        if not (new := looked_at - asked):
            break
        asked |= new
        links = telling_links_among(context.store, sorted(new))
        known |= {link.id: link for link in links}
        looked_at = {end for link in links for end in (link.newer, link.older)}
    return sorted(known.values(), key=lambda link: link.id)
