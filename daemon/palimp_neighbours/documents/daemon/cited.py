"""Find memories cited in documents and then replaced, narrowed, disputed or purged."""

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Final

from palimp_daemon.store.ids import ALPHABET, RANDOM_DIGITS, TIME_DIGITS
from palimp_daemon.store.store import Store, scope_rows
from palimp_daemon.store.tables import memory_rows
from palimp_daemon.store.tables.memory_links import MemoryLink, links_among, newest_versions, qualifying_links
from palimp_daemon.store.tables.memory_rows import Row
from palimp_protocol.limits import ID_CHARACTERS_SHOWN
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.memory_messages import Cited

LOOKED_UP_MAX: Final = 100
"""Ids looked up per answer: a few milliseconds."""

TOLD_MAX: Final = 5
"""Memories shown per text; each leads to the others."""

_ID: Final = re.compile(
    rf"(?<![A-Za-z0-9_-])m[{ALPHABET}]{{{ID_CHARACTERS_SHOWN - 1},{TIME_DIGITS + RANDOM_DIGITS}}}(?![A-Za-z0-9_-])"
)
"""Letters of other alphabets may adjoin it: not every language has spaces."""


def names_any(texts: Sequence[str]) -> bool:
    """Tell whether one of *texts* may name a memory."""
    return any(_ID.search(text) for text in texts)


def cited_in(store: Store, caller: Caller, texts: Sequence[str]) -> list[list[Cited]]:
    """Return the changed memories cited in each of *texts*."""
    named = [list(dict.fromkeys(_ID.findall(text))) for text in texts]
    names = list(dict.fromkeys(chain.from_iterable(named)))[:LOOKED_UP_MAX]
    projects = scope_rows(store, caller, "all")
    changed = _changes(store, _find_named(store, names, projects), projects) if names else {}
    return [[cited for name in names for cited in changed.get(name, ())][:TOLD_MAX] for names in named]


def _find_named(store: Store, names: Sequence[str], projects: Sequence[int]) -> dict[str, Row]:
    where = memory_rows.in_scope(projects)
    found = {name: memory_rows.rows_by_prefix(store, name, where) for name in names}
    return {name: rows[0] for name, rows in found.items() if len(rows) == 1}


def _changes(store: Store, meant: Mapping[str, Row], projects: Sequence[int]) -> dict[str, list[Cited]]:
    seqs = sorted({row.seq for row in meant.values()})
    holding = newest_versions(store, seqs)
    links = qualifying_links(
        store, [row.seq for row in meant.values() if row.superseded_by is None and row.deleted_at is None], projects
    )
    firsts = [link for link in links_among(store, seqs) if link.relation == "replaces"]
    ends = {*(link.newer for link in (*links, *firsts)), *holding.values()}
    others = {row.seq: row for row in memory_rows.rows_by_seq(store, sorted(ends))}
    return {
        name: [
            *_replacement(name, row, holding, others),
            *(_qualification(name, link, others[link.newer]) for link in links if link.older == row.seq),
        ]
        for name, row in meant.items()
    }


def _replacement(name: str, row: Row, holding: Mapping[int, int], others: Mapping[int, Row]) -> list[Cited]:
    first = next((other for other in others.values() if other.id == row.superseded_by), None)
    if first is not None:
        now = others[holding.get(row.seq, first.seq)]
        return [Cited(id=name, state="replaced", at=first.created_at, by=memory_rows.shown_id(now), title=now.title)]
    return [] if row.deleted_at is None else [Cited(id=name, state="purged", at=row.deleted_at)]


def _qualification(name: str, link: MemoryLink, newer: Row) -> Cited:
    state = "narrowed" if link.relation == "narrows" else "disputed"
    return Cited(id=name, state=state, at=newer.created_at, by=memory_rows.shown_id(newer), title=newer.title)
