"""Find the first mention of a name."""

from collections.abc import Sequence
from typing import Final

from palimp_daemon.search.engine import Expression
from palimp_daemon.search.folding import compatible
from palimp_daemon.search.stems import cut_words
from palimp_daemon.search.terms import match_expression, term_of_word
from palimp_daemon.store.store import Store, newest_memory
from palimp_daemon.store.tables.memory_rows import in_scope
from palimp_daemon.store.tables.words.stem_counts import frequencies

NAMED_MAX: Final = 10_000
"""Memories that may hold a name's rarest word: all are examined, in 10 ms. Names of more are no events."""


def first_mention(store: Store, projects: Sequence[int], name: str) -> int | None:
    """Return the oldest memory's Unix milliseconds; None for none or many."""
    phrase = " ".join(map(term_of_word, cut_words(compatible(name))))
    stems = {stem for term in phrase.split() for stem in store.stems.of_term(term)}
    counts = frequencies(store, stems, newest_memory(store))
    folded = store.engine.fold(phrase).strip()
    if not folded or min(counts.values(), default=0) > NAMED_MAX:
        return None
    own, where = store.engine.own(Expression(match_expression([folded]))), in_scope(projects)
    return store.value(
        f"SELECT min(m.created_at) FROM memories_fts f JOIN memories m ON m.seq = f.{store.engine.key}"
        f" WHERE {own.sql} AND {where.sql} AND m.deleted_at IS NULL",
        (*own.values, *where.values),
    )
