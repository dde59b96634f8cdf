"""Choose the query terms to look up, so that a search is fast whatever its words.

The cost is the postings read. Of many words the rarest are kept; if these are too common together, only the rare ones
select and the common ones order.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from palimp_daemon.search.terms import Query
from palimp_protocol.limits import QUERY_WORDS_MAX

POSTINGS_MAX: Final = 40_000
"""Postings read for one search: about 20 ms. The words beyond it only order the hits."""


COMMON_WEIGHT: Final = 0.01
"""Weight of a word that most memories have: little, but better than no word."""


class Plan(NamedTuple):
    """The terms to look up."""

    selecting: list[str]
    """Terms, one of which a memory must have."""
    ordering: list[str]
    """Common terms, used only for the order."""
    required: list[str]
    """Phrases, all of which a memory must have."""
    idf: dict[str, float]
    postings: int
    """Number of postings of `selecting` and `required`."""


def plan_of(
    query: Query,
    stems: Mapping[str, Sequence[str]],
    frequencies: Mapping[str, int],
    memories: int,
    postings_max: int = POSTINGS_MAX,
) -> Plan:
    """Return the plan for *query*.

    *stems* are by term, spelling and required phrase, *frequencies* by stem. At most *postings_max* are read, except
    for a single term.
    """

    def frequency(term: str) -> int:
        return min((frequencies.get(stem, 0) for stem in stems[term]), default=0)

    known = [term for term in (*query.terms, *query.spellings) if frequency(term)]
    rarest = sorted(known, key=frequency)[:QUERY_WORDS_MAX]
    selecting: list[str] = []
    postings = min((frequency(phrase) for phrase in query.required), default=0)
    for term in rarest:
        if selecting and postings + frequency(term) > postings_max and not query.required:
            break
        selecting.append(term)
        postings += 0 if query.required else frequency(term)
    chosen, kept = set(selecting), set(rarest)
    idf = {stem: inverse_frequency(count, memories) for stem, count in frequencies.items()}
    return Plan(
        selecting=[term for term in known if term in chosen],
        ordering=[term for term in known if term in kept - chosen],
        required=query.required,
        idf=idf,
        postings=postings,
    )


def unknown_terms(query: Query, stems: Mapping[str, Sequence[str]], frequencies: Mapping[str, int]) -> list[str]:
    """Return the words of *query* in no memory, except parts of an identifier."""
    joined = {term.replace(" ", "") for term in query.terms if " " in term}
    alone = [term for term in query.terms if " " not in term and term not in joined]
    return [term for term in alone if not any(frequencies.get(stem) for stem in stems[term])]


def with_neighbours(query: Query, words: Mapping[str, Sequence[str]]) -> Query:
    """Add *words* to *query*, each after the term that it may stand for."""
    terms = [each for term in query.terms for each in (term, *words.get(term, ()))]
    terms += [each for more in words.values() for each in more]
    return query._replace(terms=list(dict.fromkeys(terms)))


def inverse_frequency(count: int, memories: int) -> float:
    """Return BM25's weight of a word in *count* of *memories*, at least COMMON_WEIGHT."""
    if count > memories:  # which may have been erased since they were counted
        return COMMON_WEIGHT
    return max(COMMON_WEIGHT, math.log((memories - count + 0.5) / (count + 0.5)))
