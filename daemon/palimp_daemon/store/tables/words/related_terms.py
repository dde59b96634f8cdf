"""Find stems of words related to a query's (`search.related_words`)."""

from collections.abc import Collection, Mapping
from typing import Final

from palimp_daemon.languages.language_of import ENGLISH, language_of
from palimp_daemon.search.terms import Query
from palimp_daemon.store.store import Store
from palimp_protocol.limits import QUERY_WORDS_MAX

RELATED_PART: Final = 0.6
"""Factor from a related word's likeness to its weight. docs/adr/0020 compares others."""

Related = Mapping[str, Mapping[str, float]]
"""By the query's stems, related stems with their share of the weight."""


def related_stems(
    store: Store, text: str, query: Query, stems: Mapping[str, list[str]], slips: Collection[str]
) -> Related:
    """Return related stems of an English query, except of *slips*."""
    if language_of(text) != ENGLISH:
        return {}
    from palimp_daemon.search.related_words import related_words  # noqa: PLC0415  read when it is first needed

    own = {stem for each in stems.values() for stem in each}
    found: dict[str, dict[str, float]] = {}
    for term in query.terms[:QUERY_WORDS_MAX]:
        if " " in term or len(stems[term]) != 1 or term in slips:
            continue
        near: dict[str, float] = {}
        for word, likeness in related_words(term):
            for stem in store.stems.of_term(word)[:1]:
                if stem not in own:
                    near[stem] = max(near.get(stem, 0.0), RELATED_PART * likeness)
        if near:
            found[stems[term][0]] = near
    return found
