"""The reasons for a row's rank, in words (`explain`)."""

from palimp_daemon.features.memories.question import Question
from palimp_daemon.search.explanation import Circumstances, InTime, explanation, matching_words, words_in
from palimp_daemon.search.match_positions import SearchStems
from palimp_daemon.search.memory_ranking import MemoryRank
from palimp_daemon.search.ranking import PARTS, Ranked
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.tables import memory_rows
from palimp_daemon.store.tables.memory_rows import Row


def why_here(
    context: RequestContext, question: Question, row: Row, rank: Ranked | MemoryRank, wanted: SearchStems
) -> str:
    """Explain the *rank* of *row* among the hits for *wanted*."""
    stems = context.store.stems
    if isinstance(rank, Ranked):
        return f"{matching_words(words_in(f'{row.title} {row.content}', wanted, stems))} {rank.why()}"
    found = row
    if rank.seq != row.seq:  # it stands for the one that the words found
        found = next(iter(memory_rows.rows_by_seq(context.store, [rank.seq])), row)
    text = f"{found.title}\n{found.content}\n{found.tags}"
    passed = memory_rows.rows_by_seq(context.store, [seq for seq in rank.replaces if seq != row.seq])
    around = Circumstances(
        words_in(text, wanted, stems),
        [memory_rows.shown_id(each) for each in passed],
        memory_rows.shown_id(found) if found is not row else "",
        in_time(question, row.created_at),
    )
    return explanation(rank, around)


def parts_of(rank: Ranked | MemoryRank) -> dict[str, float]:
    """Return each part's contribution to *rank*."""
    if isinstance(rank, MemoryRank):
        return {"words": round(rank.words, 3), "meaning": round(rank.meaning, 3)}
    return {name: round(value, 3) for name, value in zip(PARTS, rank.parts, strict=True)}


def in_time(question: Question, created_at: int) -> InTime:
    """Return the effect of *question*'s time on a memory of *created_at*, Unix milliseconds."""
    if question.noted:
        first, end = question.noted
        return "inside" if first <= created_at < end else ""
    if question.held_at is not None:
        return "before" if created_at < question.held_at else "after"
    if question.is_beginning:
        return "first"
    return question.order or ("past" if question.is_past else "")
