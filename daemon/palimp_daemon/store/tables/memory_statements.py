"""Read memories for comparison by `judgement.replacing`."""

from collections.abc import Sequence
from typing import Final

from palimp_daemon.judgement.replacing import Statement
from palimp_daemon.runtime.sql import in_list
from palimp_daemon.search.telling_words import telling_words
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memory_rows import Row
from palimp_daemon.text.titles import with_title

COMPARED_CHARACTERS: Final = 2_000
"""Characters compared of each text, to bound the cost."""


def statements_of(store: Store, seqs: Sequence[int]) -> dict[int, Statement]:
    """Return *seqs* as statements, by number."""
    if not seqs:
        return {}
    places, values = in_list(seqs)
    said = f"m.title, substr(m.content, 1, {COMPARED_CHARACTERS})"
    statement = f"SELECT m.seq, {said}, m.kind, m.session_id, m.created_at FROM memories m WHERE m.seq IN {places}"
    return {
        seq: _statement(store, title, text, kind, session, created_at)
        for seq, title, text, kind, session, created_at in store.rows(statement, values)
    }


def statement_of(store: Store, row: Row) -> Statement:
    """Return *row* as a statement."""
    text = row.content[:COMPARED_CHARACTERS]
    return _statement(store, row.title, text, row.kind, row.session_id, row.created_at)


def _statement(store: Store, title: str, text: str, kind: str, session: int | None, created_at: int) -> Statement:
    return Statement(telling_words(with_title(title, text), store.stems), kind, session, created_at)
