"""Find memories with all words of a query, or a rare identifier, at whatever rank.

The index may rank a long one low.
"""

from typing import Final

from palimp_daemon.search.engine import Expression, Hit, search
from palimp_daemon.search.memory_ranking import is_identifier
from palimp_daemon.search.terms import match_expression
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.search.memory_bounds import bounds_sparing
from palimp_daemon.store.tables.search.memory_query import LexicalPart, SearchRequest

COMPLETE_MAX: Final = 5
"""Memories with all words or a rare identifier, the best."""

RARE_MAX: Final = 3
"""Memories up to which their identifier is rare: a query with it wants one of them."""

TERMS_MAX: Final = 12
"""Words of a query searched for together; with more, only copies of the query have all."""


def complete_hits(store: Store, asked: SearchRequest, prepared: LexicalPart) -> list[Hit]:
    """Return memories with all words, or a rare identifier."""
    wanted = [_all_words(prepared), *([each] for each in _rare_identifiers(prepared))]
    within = bounds_sparing(store, asked.projects, asked.span, prepared.plan.postings) if asked.span else None
    between = (within.first - 1, within.last + 1) if within else None
    found = {hit.seq: hit for terms in wanted if terms for hit in _having(store, asked, terms, between)}
    return [*found.values()]


def _having(store: Store, asked: SearchRequest, terms: list[str], between: tuple[int, int] | None) -> list[Hit]:
    expression = Expression(match_expression([], [store.engine.fold(term).strip() for term in terms]), len(terms))
    return search(store.connection, store.engine, expression, asked.where, COMPLETE_MAX, between)[0]


def _all_words(prepared: LexicalPart) -> list[str]:
    terms = [*prepared.query.required, *prepared.query.terms]
    are_known = {*prepared.query.terms} <= {*prepared.plan.selecting}
    return terms if are_known and not prepared.spelled and 1 < len(terms) <= TERMS_MAX else []


def _rare_identifiers(prepared: LexicalPart) -> list[str]:
    identifiers = [term for term in prepared.query.terms if is_identifier(term) and term in prepared.plan.selecting]
    counts = prepared.counts
    return [term for term in identifiers if min(counts.get(stem, 0) for stem in prepared.stems[term]) <= RARE_MAX]
