"""`recall`: one operation to search, view, purge and restore memories.

Theory
------
A request names memories (`id`, `ids`) or describes them (`query`, `title`, `kind`, `tags`; none of
them: the most recent). Purging and restoring take names only, so that an agent lists, selects and
then acts. Named memories are looked for in the caller's project and the global scope; described ones
in `scope`. What another project saved is never found, whatever is asked.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from msgspec import UNSET
from msgspec.structs import replace

from palimp_daemon.features.memories.history_view import history_told
from palimp_daemon.features.memories.names import named
from palimp_daemon.features.memories.save import normalized_tags
from palimp_daemon.features.memories.time_span import span_of
from palimp_daemon.features.removed_code.handlers import hunk_number, recall_removed
from palimp_daemon.search.engine import Filter
from palimp_daemon.search.match_positions import NOTHING, Sought
from palimp_daemon.search.ranking import Ranked
from palimp_daemon.search.snippet import row_snippet
from palimp_daemon.store.checks.derived_indexes import WORDS
from palimp_daemon.store.checks.rebuild import notes_of_rebuilding
from palimp_daemon.store.ids import shown_of
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import scope_rows
from palimp_daemon.store.tables import memories
from palimp_daemon.store.tables.memories import Row
from palimp_daemon.store.tables.memory_search import Asked, Meaning, look_ahead, matching
from palimp_daemon.store.tables.pins import pinned_in
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.memories import Detail, Memory, Moment, Recall, Recalled
from palimp_protocol.text import quoted

NOT_PURGED = Filter("m.deleted_at IS NULL")

LOOKED_AT_TIMES: Final = 8
LOOKED_AT_MAX: Final = 1_600
"""Where what was found says the same again and again, how many times as much is looked for next, and how many memories
at most: some 20 ms."""


def recall(context: RequestContext, request: Recall) -> Recalled:
    """Answer *request*, which was `checked`. Ids that are unknown are named in the answer."""
    names = [request.id] if request.id else request.ids
    if request.kind == "removed-code":
        return recall_removed(context, request)
    if names is None:
        return _search(context, request)
    if all(name[:1] in "hH" and hunk_number(name) is not None for name in names):
        return recall_removed(context, request)
    rows, unknown = named(context, names)
    if request.action == "view":
        return _view(context, request, rows, unknown)
    return _change(context, request, rows, unknown)


def checked(request: Recall) -> Recall:
    """Return *request*.

    Raises:
        PalimpError: its parameters contradict each other.
    """
    described = [name for name in ("query", "title", "kind", "tags") if getattr(request, name)]
    if request.id and request.ids:
        raise PalimpError(ErrorCode.BAD_REQUEST, "id and ids were both given.", "Put every id into ids.")
    if (request.id or request.ids) and described:
        raise PalimpError(
            ErrorCode.BAD_REQUEST,
            f"ids cannot be combined with a search ({', '.join(described)}).",
            "Search first, then view, purge or restore by ids.",
        )
    if request.ids is not None and not request.ids:
        raise PalimpError(ErrorCode.BAD_REQUEST, "ids: the list is empty.", "Name at least one id, or omit ids.")
    if request.action != "view" and not (request.id or request.ids):
        raise PalimpError(
            ErrorCode.BAD_REQUEST,
            f"{request.action} needs explicit ids.",
            "Search first, select the ids, then call again with ids and this action.",
        )
    if request.offset and (request.query or request.id or request.ids):
        raise PalimpError(ErrorCode.BAD_REQUEST, "offset is for lists, not for a search.", "Narrow the search instead.")
    if (request.offset or request.since or request.until) and request.kind in ("doc", "removed-code"):
        text = f"offset, since and until are for memories, not for kind {request.kind}."
        raise PalimpError(ErrorCode.BAD_REQUEST, text, "Leave them out.")
    return request


# --- by name -------------------------------------------------------------------------------------


def _view(context: RequestContext, request: Recall, rows: list[Row], unknown: list[str]) -> Recalled:
    """Show named memories; purged ones only if asked for."""
    shown = [row for row in rows if request.include_purged or row.deleted_at is None]
    unknown += [
        f"{memories.shown_id(row)}: purged; view it with include_purged=true, or restore it"
        for row in rows
        if row not in shown
    ]
    answer = _answer(context, request, _Found(shown, len(shown)), request.detail or "full")
    if answer.detail == "full":
        with_history = [
            replace(memory, history=history_told(context.store, row.seq))
            for memory, row in zip(answer.memories, shown, strict=True)
        ]
        answer = replace(answer, memories=with_history)
    return replace(answer, unknown=unknown)


def _change(context: RequestContext, request: Recall, rows: list[Row], unknown: list[str]) -> Recalled:
    """Purge or restore named memories and show what was done."""
    purged_at = context.now_ms if request.action == "purge" else None
    to_change = [row for row in rows if (row.deleted_at is None) == (request.action == "purge")]
    for row in to_change:
        memories.set_purged(context.store, row.seq, purged_at)
    unchanged = [memories.shown_id(row) for row in rows if row not in to_change]
    changed = [row._replace(deleted_at=purged_at) for row in to_change]
    answer = _answer(context, request, _Found(changed, len(changed)), "compact")
    return replace(answer, unknown=unknown, unchanged=unchanged)


# --- by description ------------------------------------------------------------------------------


def _search(context: RequestContext, request: Recall) -> Recalled:
    """Search or list; an empty result stays empty and says what could be tried."""
    projects, detail = scope_rows(context.store, context.caller, request.scope), request.detail or "compact"
    if not (request.query and request.query.strip()):
        kinds = [request.kind] if request.kind else []
        selection = memories.Selection(projects, kinds, _where(context, request))

        def listed(limit: int) -> _Found:
            return _Found(*memories.newest_by_time(context.store, selection, limit, request.offset))

        return _distinct_answer(context, request, listed, detail)
    meaning = Meaning(context.query_vector, projects) if context.query_vector else None

    def searched(limit: int) -> _Found:
        asked = _asked(context, request, limit)._replace(meaning=meaning)
        found = matching(context.store, asked, context.now_ms)
        rows = memories.rows_by_seq(context.store, [each.seq for each in found.ranked])
        notes = [*found.notes, *notes_of_rebuilding(context.store, WORDS)]
        return _Found(rows, found.total, found.wanted, found.ranked, notes)

    return _distinct_answer(context, request, searched, detail)


def _distinct_answer(
    context: RequestContext, request: Recall, find: "Callable[[int], _Found]", detail: Detail
) -> Recalled:
    """Return what *find*, which is told how much to look for, found as an answer that says nothing twice.

    Where much of it says the same, more is looked for, up to LOOKED_AT_MAX.
    """
    limit = request.limit
    while True:
        found = find(limit)
        rows = memories.distinct(found.rows)
        repeated = len(found.rows) - len(rows)
        if not repeated or len(rows) >= request.limit or len(found.rows) < limit or limit >= LOOKED_AT_MAX:
            break
        limit = min(limit * LOOKED_AT_TIMES, LOOKED_AT_MAX)
    rows = rows[: request.limit]
    ranks = {each.seq: each for each in found.ranked}
    shown = found._replace(rows=rows, total=found.total - repeated, ranked=[ranks[row.seq] for row in rows if ranks])
    return replace(_answer(context, request, shown, detail), notes=[*found.notes, *_repeated(repeated)])


def _repeated(count: int) -> list[str]:
    """Return what is said of *count* rows that were left out since others say the same."""
    return [f"{count:,} more that say exactly the same are not repeated."] if count else []


def _asked(context: RequestContext, request: Recall, limit: int) -> Asked:
    """Return what is searched for, without its meaning."""
    assert request.query  # noqa: S101  only searches are asked
    projects = scope_rows(context.store, context.caller, request.scope)
    return Asked(request.query, _where_in(context, projects, request), limit, projects=tuple(projects))


def search_ahead(context: RequestContext, request: Recall) -> None:
    """Do what can be done of a search while its query's meaning is not known yet."""
    look_ahead(context.store, _asked(context, request, request.limit))


def _where_in(context: RequestContext, projects: Sequence[int], request: Recall) -> Filter:
    """Return the filter that *projects* and *request*'s description amount to."""
    kind = [Filter("m.kind = ?", (request.kind,))] if request.kind else []
    return _all_of([memories.in_scope(projects), *kind, _where(context, request)])


def _where(context: RequestContext, request: Recall) -> Filter:
    """Return the filter for what *request* says besides projects and kind."""
    parts = [Filter("1") if request.include_purged else NOT_PURGED]
    if request.since or request.until:
        span = span_of(request.since, request.until, context.now_ms)
        parts.append(Filter("m.created_at >= ? AND m.created_at < ?", span))
    if request.title:
        parts.append(Filter("instr(lower(m.title), ?) > 0", (request.title.strip().lower(),)))
    parts += [Filter("instr(' ' || m.tags || ' ', ?) > 0", (f" {tag} ",)) for tag in normalized_tags(request.tags)]
    return _all_of(parts)


def _all_of(parts: Sequence[Filter]) -> Filter:
    return Filter(" AND ".join(part.sql for part in parts), tuple(value for part in parts for value in part.values))


# --- the answer ----------------------------------------------------------------------------------


class _Found(NamedTuple):
    """Rows to be answered with; how many there are in all; for a search, its words and each row's rank."""

    rows: list[Row]
    total: int
    wanted: Sought = NOTHING
    ranked: Sequence[Ranked] = ()
    notes: Sequence[str] = ()


def _answer(context: RequestContext, request: Recall, found: _Found, detail: Detail) -> Recalled:
    """Return *found* as an answer of the given *detail*."""
    pinned = pinned_in(context.store, sorted({row.project_id for row in found.rows}))
    shown = [
        replace(_memory(context, row, detail, found.wanted, request.mark), is_pinned=row.seq in pinned)
        for row in found.rows
    ]
    if found.ranked:
        shown = [_scored(memory, rank, request) for memory, rank in zip(shown, found.ranked, strict=True)]
    return Recalled(
        action=request.action,
        detail=detail,
        query=_echo(request),
        memories=[] if detail == "timeline" else shown,
        timeline=_timeline(context, request, found.rows, shown) if detail == "timeline" else [],
        total=found.total,
    )


def _memory(context: RequestContext, row: Row, detail: Detail, wanted: Sought, mark: str) -> Memory:
    """Return *row* as it is answered, with a snippet, *mark* around what matched, or its whole text."""
    is_full = detail == "full"
    return Memory(
        id=memories.shown_id(row),
        title=row.title,
        kind=row.kind,  # pyright: ignore[reportArgumentType]  the table holds only what a request allowed
        created_at=row.created_at,
        project=row.project,
        snippet="" if is_full else row_snippet(row.title, row.content, row.tags, wanted, context.store.stems, mark),
        content=row.content if is_full else UNSET,
        quote=row.quote if is_full else "",
        tags=row.tags.split(),
        source=row.source,
        session=row.session or "",
        updated_at=row.updated_at,
        purged_at=row.deleted_at,
        superseded_by=shown_of(row.superseded_by) if row.superseded_by else "",
    )


def _scored(memory: Memory, rank: Ranked, request: Recall) -> Memory:
    """Return *memory* with its score, and why it has it if that was asked for."""
    return replace(memory, score=round(rank.score, 3), why=rank.why() if request.explain else "")


def _timeline(context: RequestContext, request: Recall, rows: list[Row], found: list[Memory]) -> list[Moment]:
    """Return the hits and the memories beside them, oldest first, each once."""
    where = Filter("1") if request.include_purged else NOT_PURGED
    moments = {row.seq: Moment(memory=memory, is_hit=True) for row, memory in zip(rows, found, strict=True)}
    for row in rows:
        for neighbour in memories.beside(context.store, row, where):
            if neighbour.seq not in moments:
                memory = _memory(context, neighbour, "timeline", NOTHING, request.mark)
                moments[neighbour.seq] = Moment(memory=memory, is_hit=False)
    return [moment for _, moment in sorted(moments.items())]


def _echo(request: Recall) -> str:
    """Return what was searched for, in words."""
    query = " ".join((request.query or "").split())
    parts = [query if '"' in query else f'"{query}"'] if query else []
    parts += [f"title ~ {quoted(request.title.strip())}"] if request.title else []
    parts += [f"kind = {request.kind}"] if request.kind else []
    parts += [f"tag = {tag}" for tag in normalized_tags(request.tags)]
    return ", ".join(parts)
