"""Find successors, not found by themselves, of the best memories."""

from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Final, NamedTuple

from palimp_daemon.runtime.sql import in_list
from palimp_daemon.search.engine import Filter
from palimp_daemon.search.memory_ranking import MemoryRank
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memory_links import MemoryLink
from palimp_daemon.store.tables.search.memory_query import READ_CHARACTERS
from palimp_daemon.text.former_values import parts_of_former

SUCCEEDED_MAX: Final = 3
"""The best hits, whose likely replacements are looked up."""

SUCCESSOR_SHARE: Final = 0.8
"""Share of a memory's score given to its likely replacement if that is no hit."""

Asked = Callable[[str], bool]
"""Tells whether a part of a text has a word of the query."""


class Successor(NamedTuple):
    """A memory in place of a found one."""

    rank: MemoryRank
    text: str


def successors_of(
    store: Store,
    ranks: Sequence[MemoryRank],
    links: Sequence[MemoryLink],
    where: Filter,
    texts: Mapping[int, str],
    is_asked: Asked,
) -> list[Successor]:
    """Return likely successors of the best *ranks*, unless found already.

    A memory with a name of the query has none. A successor that says that a name is former gets the other's words.
    """
    best = {rank.seq: rank for rank in ranks[:SUCCEEDED_MAX] if not rank.names}
    found = {rank.seq for rank in ranks}
    links = [
        link
        for link in links
        if link.older in best
        and link.newer not in found
        and (link.relation == "narrows" or (link.relation == "replaces" and link.said_by == "inferred"))
    ]
    if not links:
        return []
    places, values = in_list(sorted({link.newer for link in links}))
    known = {
        seq: (created_at, text)
        for seq, created_at, text in store.rows(
            f"SELECT m.seq, m.created_at, substr(m.content, 1, {READ_CHARACTERS}) FROM memories m WHERE m.seq IN"
            f" {places} AND m.deleted_at IS NULL AND m.superseded_by IS NULL AND {where.sql}",
            (*values, *where.values),
        )
    }
    named = with_former_names(links, {**texts, **{seq: text for seq, (_, text) in known.items()}}, is_asked)
    answering = [link for link in links if link.relation == "replaces" or (link.newer, link.older) in named]
    successors: list[Successor] = []
    for seq, (created_at, text) in known.items():
        older = [best[link.older] for link in answering if link.newer == seq]
        if older:
            former = max(older, key=attrgetter("score"))
            rank = MemoryRank(seq, SUCCESSOR_SHARE * former.score, 0.0, former.meaning, created_at)
            is_named = (seq, former.seq) in named
            rank = rank._replace(words=former.words, covered=former.covered) if is_named else rank
            successors.append(Successor(rank, text))
    return successors


def with_former_names(links: Sequence[MemoryLink], texts: Mapping[int, str], is_asked: Asked) -> set[tuple[int, int]]:
    """Return the pairs of *links*, newer first, whose newer text says that a name in the older is former.

    Only a name in a part that *is_asked* for: the rest stays valid.
    """
    return {
        (link.newer, link.older)
        for link in links
        if link.relation == "narrows"
        and any(map(is_asked, parts_of_former(texts.get(link.newer, ""), texts.get(link.older, ""))))
    }
