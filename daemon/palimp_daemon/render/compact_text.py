"""detail=compact: one row per memory, about 80 tokens each."""

from collections.abc import Sequence

from palimp_daemon.render.rows import Row, rows_as_text, telling_columns
from palimp_daemon.render.times import date
from palimp_protocol.history_text import cited_line, link_line
from palimp_protocol.messages.memory_messages import Memory

_SAYS_NOTHING = frozenset({"", "note"})


def compact_rows(memories: Sequence[Memory]) -> list[Row]:
    """Return the rows of *memories* without columns that say nothing."""
    return telling_columns([_row(memory) for memory in memories], _SAYS_NOTHING)


def compact_text(memories: Sequence[Memory], answer_format: str) -> str:
    """Return *memories* as rows in *answer_format*."""
    return rows_as_text("memories", compact_rows(memories), answer_format)


def _row(memory: Memory) -> dict[str, str | float]:
    return {
        "id": memory.id,
        "title": (memory.line or memory.title)
        + (" [purged]" if memory.purged_at else " [proposal]" if memory.is_proposal else ""),
        "kind": memory.kind,
        "score": "" if memory.score is None else round(memory.score, 2),
        "snippet": "" if memory.line else memory.snippet,
        "by": memory.source if memory.kind == "conversation" else memory.author,
        "date": date(memory.created_at),
        "path": memory.path,
        "history": "; ".join(
            [
                *(link_line(link, date, is_explained=bool(memory.why)) for link in memory.links),
                *(cited_line(cited, date) for cited in memory.cited),
            ]
        ),
        "now": memory.stale,
        "why": memory.why,
    }
