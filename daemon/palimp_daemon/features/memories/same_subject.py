"""Which older memories a new one is about the same as: named in the answer to a save, so that who saved it can judge.

Theory
------
They are looked for by the rarest words of the new text, of which a bounded number of postings is read, and before the
text itself is stored: a full-text index that was written to is read at the price of writing it out. What was found is
judged by its words. A group of saves has SUBJECT_BUDGET_S for all of this; under load, some answers name none.
"""

import time
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from palimp_daemon.search.engine import Expression, Filter, search
from palimp_daemon.search.plan import inverse_frequency
from palimp_daemon.search.terms import STOP_WORDS, match_expression, parse_query
from palimp_daemon.store.store import Store, newest_memory
from palimp_daemon.store.tables.memories import Row, in_scope, rows_by_seq
from palimp_daemon.store.tables.memory_search import frequencies
from palimp_protocol.limits import SUBJECT_SHOWN_MAX

POSTINGS_MAX: Final = 150
"""Postings read of the rarest words of one text: a tenth of a millisecond."""

STEMS_MAX: Final = 8
"""Words by which one text's subject is looked for, the rarest."""

CANDIDATES_MAX: Final = 6
"""Memories that are compared with a new one word by word."""

PROBABILITY_MIN: Final = 0.3
"""How likely an older memory must be replaced to be named."""

SAME_SESSION_FACTOR: Final = 0.5
"""What is said in one session mostly goes on, and replaces nothing."""

SUBJECT_BUDGET_S: Final = 0.002
"""Seconds for a whole group of saves."""

READ_CHARACTERS: Final = 2_000
"""What is read of each text."""


class Statement(NamedTuple):
    """What is known of a memory when it is held beside another."""

    words: frozenset[str]
    """The stems of its text without stop words."""
    kind: str
    session: int | None
    created_at: int


class Asked(NamedTuple):
    """A memory that is about to be stored."""

    project: int
    title: str
    content: str
    kind: str
    session: int | None
    created_at: int


def replacement_probability(newer: Statement, older: Statement, rarity: Mapping[str, float]) -> float:
    """Return how likely *newer* is about what *older* says, given how rare each word is."""
    shared, least = newer.words & older.words, min(newer.words, older.words, key=len)
    weight = sum(rarity.get(word, 0.0) for word in least)
    if not weight:
        return 0.0
    likeness = sum(rarity.get(word, 0.0) for word in shared) / weight
    is_same_session = newer.session is not None and newer.session == older.session
    return likeness * (SAME_SESSION_FACTOR if is_same_session else 1.0)


def on_same_subject(store: Store, asked: Sequence[Asked]) -> list[list[Row]]:
    """Return for each of what is *asked* the older memories on its subject, the nearest first."""
    ends_at = time.monotonic() + SUBJECT_BUDGET_S
    newest = newest_memory(store)
    return [_about(store, each, newest) if newest and time.monotonic() < ends_at else [] for each in asked]


def _about(store: Store, asked: Asked, newest: int) -> list[Row]:
    words = _words(store, asked.title, asked.content)
    counts = frequencies(store, words, newest)
    selecting = rarest(counts, POSTINGS_MAX)
    if not selecting:
        return []
    here = in_scope([asked.project])
    where = Filter(f"{here.sql} AND m.deleted_at IS NULL AND m.superseded_by IS NULL", here.values)
    terms = [folded for stem in selecting if (folded := store.engine.fold(stem).strip())]
    expression = Expression(match_expression(terms), 0)
    hits, _ = search(store.connection, store.engine, expression, where, CANDIDATES_MAX)
    if not hits:
        return []
    rarity = {stem: inverse_frequency(count, newest) for stem, count in counts.items()}
    new = Statement(words, asked.kind, asked.session, asked.created_at)
    judged: list[tuple[float, Row]] = []
    for row in rows_by_seq(store, [hit.seq for hit in hits]):
        old = Statement(_words(store, row.title, row.content), row.kind, row.session_id, row.created_at)
        probability = replacement_probability(new, old, rarity)
        if probability >= PROBABILITY_MIN:
            judged.append((probability, row))
    judged.sort(key=lambda each: (-each[0], -each[1].seq))
    return [row for _, row in judged[: 2 * SUBJECT_SHOWN_MAX]]


def rarest(counts: Mapping[str, int], postings_max: int) -> list[str]:
    """Return the rarest of the stems *counts*, STEMS_MAX at most, that have *postings_max* postings together."""
    chosen: list[str] = []
    left = postings_max
    for stem in sorted(counts, key=lambda stem: (counts[stem], stem)):
        if len(chosen) == STEMS_MAX or counts[stem] > left:
            break
        left -= counts[stem]
        chosen.append(stem)
    return chosen


def _words(store: Store, title: str, content: str) -> frozenset[str]:
    """Return the stems of a memory's words; of scripts without spaces, those that the index has."""
    text = content[:READ_CHARACTERS]
    text = text if title in content else f"{title} {text}"
    if text.isascii():
        return frozenset(store.stems.of_text(text)) - STOP_WORDS
    terms = " ".join(parse_query(text).terms)
    return frozenset(store.stems.of_term(terms)) - STOP_WORDS
