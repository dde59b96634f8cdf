"""Find turns and commits: `recall` in the conversations' store."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from palimp_daemon.features.conversations.time_order import newest_first
from palimp_daemon.features.memories.find import all_of, conditions, span_asked
from palimp_daemon.features.memories.memory_names import NO_SUCH_MEMORY, rows_of_names
from palimp_daemon.features.memories.question import Question, question_of
from palimp_daemon.features.memories.recall_answer import RecallRows, answer
from palimp_daemon.search.engine import Filter
from palimp_daemon.search.rarity import rarity
from palimp_daemon.search.telling_words import telling_words_of_language
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store, newest_memory, scope_rows
from palimp_daemon.store.tables import memory_rows
from palimp_daemon.store.tables.memory_rows import Row, Selection
from palimp_daemon.store.tables.search.memory_query import SearchRequest
from palimp_daemon.store.tables.search.memory_search import matching
from palimp_daemon.store.tables.sessions.conversation_rows import COMMIT, ID_LETTERS, TURN, turns_around
from palimp_daemon.store.tables.words.stem_counts import frequencies
from palimp_daemon.text.messages import short
from palimp_daemon.text.titles import join_title
from palimp_protocol.messages.memory_messages import Memory, Recall, Recalled

KINDS: Final = (TURN, COMMIT)

LOOKED_AT: Final = 4
"""Turns searched per row returned: a question with its answer is one row, and so is a session."""

BEST_MAX: Final = 2
"""Rows returned whatever their session; later rows are of others."""

POSTINGS_MAX: Final = 20_000
"""Postings read for one search, half as many as of memories: a turn's words are also indexed with the next two, and
several columns take longer."""

HEARD_MIN: Final = 50
"""Turns a store must have to report words as never said."""

UNSAID_MIN: Final = 2
UNSAID_PART: Final = 0.4
"""Number of a question's words never said, and their share of its significant words, from which no turn answers. A
single one may be rephrased."""

SAID_PART: Final = 0.5
"""Share of the significant words in one session that makes it an answer all the same."""

ANSWER_CHARACTERS: Final = 160
"""Characters that a row shows of the answer to the user."""

AROUND_CHARACTERS: Final = 1_500
"""Characters shown of the turns before and after a whole turn."""

NO_SUCH_TURN: Final = "nothing in this project has this id; search for a title or words"

_LETTERS: Final = frozenset(ID_LETTERS.values())


def is_of_turns(request: Recall) -> bool:
    """Tell whether *request* is for turns or commits only."""
    names = [request.id] if request.id else request.ids or []
    return request.kind in KINDS or (bool(names) and request.action == "view" and all(map(is_turn_id, names)))


def is_turn_id(name: str) -> bool:
    """Tell whether *name* is a turn's or commit's id, or its beginning."""
    return name.strip().lower()[:1] in _LETTERS and name.strip().isalnum()


def recall_turns(context: RequestContext, request: Recall) -> Recalled:
    """Answer *request*, already checked, with the project's turns and commits."""
    names = [request.id] if request.id else request.ids
    unknown: list[str] = []
    is_list = False
    if names is not None:
        rows, others = rows_of_names(context, names)
        unknown = [each.replace(NO_SUCH_MEMORY, NO_SUCH_TURN) for each in others]
        found = RecallRows(rows, len(rows))
    else:
        question = question_of(request, context.now_ms, context.zone)
        is_list = not question.text.strip()
        found = _list_turns(context, request, question) if is_list else _search_turns(context, request, question)
    detail = request.detail or ("compact" if names is None else "full")
    reply = answer(context, request, found, detail)
    told = zip(found.rows, reply.memories, strict=detail != "timeline")
    if detail == "full" and not is_list:
        reply = replace(reply, memories=[_in_context(context, row, memory) for row, memory in told])
    elif found.ranks:
        reply = replace(reply, memories=[_with_answer(context, row, memory) for row, memory in told])
    return replace(reply, unknown=unknown) if unknown else reply


def _with_answer(context: RequestContext, row: Row, memory: Memory) -> Memory:
    if row.source != "user":
        return memory
    following = [text for seq, role, text in turns_around(context.store, row) if seq > row.seq and role == "assistant"]
    if not following:
        return memory
    answered = f"Answer: {short(following[0], ANSWER_CHARACTERS)}"
    line = join_title(memory.line, answered) if memory.line else ""
    return replace(memory, line=line, snippet=join_title(memory.snippet, answered))


def _in_context(context: RequestContext, row: Row, memory: Memory) -> Memory:
    around = turns_around(context.store, row)
    if len(around) < 2:
        return memory
    parts = [f"{role}: {text if seq == row.seq else _shorten_around(text)}" for seq, role, text in around]
    return replace(memory, content="\n\n".join(parts))


def _shorten_around(text: str) -> str:
    return text if len(text) <= AROUND_CHARACTERS else f"{text[:AROUND_CHARACTERS]} […]"


def _search_turns(context: RequestContext, request: Recall, question: Question) -> RecallRows:
    projects = scope_rows(context.store, context.caller, "project")
    of_kind = [Filter("m.kind = ?", (request.kind,))] if request.kind else []
    where = all_of([memory_rows.in_scope(projects), *of_kind, conditions(context, request, question)])
    asked = SearchRequest(
        question.text,
        where,
        LOOKED_AT * request.limit,
        postings_max=POSTINGS_MAX,
        projects=tuple(projects),
        as_turns=True,
        span=span_asked(context, request, question),
    )
    found = matching(context.store, asked, context.now_ms)
    rows = memory_rows.distinct(memory_rows.rows_by_seq(context.store, [each.seq for each in found.ranked]))
    ranks = {each.seq: each for each in found.ranked}
    notes = [*question.notes, *found.notes]
    told = exchanges(rows)
    total = found.total - (len(rows) - len(told))
    shown = (told if request.kind else spread(told))[: request.limit]
    if request.kind is None and is_unheard_of(context.store, question.text, shown):
        return RecallRows([], 0, found.wanted, ranks, unrelated=shown, notes=notes)
    ordered = newest_first(shown, _weights(context.store, question.text), context.store.stems.found_by)
    return RecallRows(shown if question.is_of_past else ordered, total, found.wanted, ranks, notes=notes)


def _weights(store: Store, text: str) -> dict[str, float]:
    words, heard = telling_words_of_language(text, store.stems), newest_memory(store)
    counts = frequencies(store, words, heard)
    return {word: rarity(counts.get(word, 0), heard) for word in words}


def is_unheard_of(store: Store, text: str, rows: Sequence[Row]) -> bool:
    """Tell whether *rows* hardly answer *text*: too many of its words are new."""
    words, heard = telling_words_of_language(text, store.stems), newest_memory(store)
    counts = frequencies(store, words, heard)
    unsaid = [word for word in words if not counts.get(word)]
    if heard < HEARD_MIN or len(unsaid) < UNSAID_MIN or len(unsaid) < UNSAID_PART * len(words):
        return False
    said: defaultdict[int, set[str]] = defaultdict(set)
    for row in rows:
        said[row.session_id or -row.seq] |= words & store.stems.found_by(row.content)
    return all(len(each) < SAID_PART * len(words) for each in said.values())


def exchanges(rows: Sequence[Row]) -> list[Row]:
    """Return *rows*, best first, without neighbours of a better turn."""
    kept: list[Row] = []
    taken: set[tuple[int, int]] = set()
    for row in rows:
        if row.session_id is None:
            kept.append(row)
        elif (row.session_id, row.seq) not in taken:
            kept.append(row)
            taken |= {(row.session_id, row.seq + step) for step in (-1, 0, 1)}
    return kept


def spread(rows: Sequence[Row]) -> list[Row]:
    """Return the first BEST_MAX of *rows*, then other sessions' best ones."""
    best = {row.session_id or -row.seq: row for row in reversed(rows)}
    told = {row.session_id or -row.seq for row in rows[:BEST_MAX]}
    others = [row for session, row in best.items() if session not in told]
    return [*rows[:BEST_MAX], *sorted(others, key=rows.index)]


def _list_turns(context: RequestContext, request: Recall, question: Question) -> RecallRows:
    projects = scope_rows(context.store, context.caller, "project")
    kinds = [request.kind] if request.kind else KINDS
    where = conditions(context, request, question)
    rows, total = memory_rows.by_time(
        context.store,
        Selection(projects, kinds, where),
        request.limit,
        request.offset or 0,
        oldest_first=question.order == "oldest",
    )
    return RecallRows(rows, total, notes=question.notes)
