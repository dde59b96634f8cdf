"""SQL of `memory_links`: memories that replace, narrow or contradict others, and by whose word.

`memories.superseded_by` is the newer memory of the latest link that `replaces`, is in force, was not inferred and stays
in one project; a purged memory or a proposal replaces nothing unless replaced itself. Only this module writes both.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from palimp_daemon.runtime.sql import in_list
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.steps import HOLDS, Step, note
from palimp_protocol.messages.memory_messages import Relation, SaidBy

AUTHORITY: Final[tuple[SaidBy, ...]] = ("inferred", "compact", "text", "agent", "user")
"""Statement's origin, by increasing authority."""

VERSIONS_MAX: Final = 200
"""Memories of one history, more than an answer shows; it ends there."""


class NewLink(NamedTuple):
    """A link to be made; see `MemoryLink`."""

    newer: int
    older: int
    relation: Relation
    said_by: SaidBy
    said: str = ""
    is_edit: bool = False


class MemoryLink(NamedTuple):
    """The relation of *newer* to *older*, both memory numbers."""

    id: int
    newer: int
    older: int
    relation: Relation
    said_by: SaidBy
    said: str
    """The words that say so, or the reason; may be empty."""
    at: int
    is_edit: bool = False
    """Whether the newer one was made by editing the older one (`palimp edit`)."""


class History(NamedTuple):
    """A memory's *versions* (numbers), oldest first, and their links."""

    versions: list[int]
    links: list[MemoryLink]


_COLUMNS: Final = "l.id, l.newer, l.older, l.relation, l.said_by, l.said, l.at, l.is_edit"

_HOLDS: Final = "l.undone_at IS NULL"

_DECIDES: Final = f"{_HOLDS} AND l.relation = 'replaces' AND l.said_by != 'inferred'"

_REACHED: Final = (
    "WITH RECURSIVE reached (seq) AS ("
    "SELECT l.{far} FROM memory_links l WHERE l.{near} IN {places} AND l.relation = ? AND l.said_by != 'inferred'"
    f" AND {_HOLDS} UNION SELECT l.{{far}} FROM reached r JOIN memory_links l ON l.{{near}} = r.seq"
    f" WHERE l.relation = ? AND l.said_by != 'inferred' AND {_HOLDS})"
)
"""Memories reached by links from *places*, each once, so that cycles end."""

_REPLACING: Final = (
    "(SELECT l.newer FROM memory_links l JOIN memories n ON n.seq = l.newer AND n.project_id = m.project_id"
    " AND ((n.deleted_at IS NULL AND n.seq NOT IN (SELECT seq FROM proposals)) OR n.superseded_by IS NOT NULL)"
    f" WHERE l.older = m.seq AND {_DECIDES} ORDER BY l.at DESC, n.id DESC, l.id DESC LIMIT 1)"
)
"""The present successor of memory *m*."""


def links_among(store: Store, seqs: Sequence[int]) -> list[MemoryLink]:
    """Return the links in force at *seqs*, in order of making."""
    return _links_with_ends(store, seqs, _HOLDS)


def telling_links_among(store: Store, seqs: Sequence[int]) -> list[MemoryLink]:
    """Return `links_among` without the many inferred replacements."""
    return _links_with_ends(store, seqs, f"{_HOLDS} AND NOT (l.relation = 'replaces' AND l.said_by = 'inferred')")


def _links_with_ends(store: Store, seqs: Sequence[int], where: str) -> list[MemoryLink]:
    if not seqs:
        return []
    places, numbers = in_list(sorted(set(seqs)))
    return _links(
        store,
        f"SELECT {_COLUMNS} FROM memory_links l WHERE l.newer IN {places} AND {where} UNION"
        f" SELECT {_COLUMNS} FROM memory_links l WHERE l.older IN {places} AND {where} ORDER BY 1",
        (*numbers, *numbers),
    )


def qualifying_links(store: Store, seqs: Sequence[int], projects: Sequence[int]) -> list[MemoryLink]:
    """Return the stated links in force by which memories of *projects* narrow or contradict *seqs*."""
    if not seqs:
        return []
    places, numbers = in_list(sorted(set(seqs)))
    own, rows_of_projects = in_list(sorted(set(projects)))
    return _links(
        store,
        # CROSS keeps SQLite from going through the memories of the projects for those that are linked.
        f"SELECT {_COLUMNS} FROM memory_links l CROSS JOIN memories n ON n.seq = l.newer WHERE l.older IN {places}"
        f" AND {_HOLDS} AND l.relation != 'replaces' AND l.said_by != 'inferred' AND n.project_id IN {own}"
        " AND n.deleted_at IS NULL AND n.superseded_by IS NULL ORDER BY l.id",
        (*numbers, *rows_of_projects),
    )


def disputes_in(store: Store, projects: Sequence[int], limit: int) -> list[MemoryLink]:
    """Return the last stated contradictions between memories in force, newest first."""
    listed, numbers = in_list(sorted(set(projects)))
    holding = "{0}.deleted_at IS NULL AND {0}.superseded_by IS NULL AND {0}.project_id IN " + listed
    return _links(
        store,
        f"SELECT {_COLUMNS} FROM memory_links l JOIN memories n ON n.seq = l.newer JOIN memories o ON o.seq = l.older"
        f" WHERE l.relation = 'disagrees' AND {_HOLDS} AND l.said_by != 'inferred'"
        f" AND {holding.format('n')} AND {holding.format('o')} ORDER BY l.id DESC LIMIT ?",
        (*numbers, *numbers, limit),
    )


def decides(link: MemoryLink) -> bool:
    """Tell whether *link*, in force, decides its older memory's successor."""
    return link.relation == "replaces" and link.said_by != "inferred"


def link_numbered(store: Store, link_id: int) -> MemoryLink | None:
    """Return the link *link_id* if in force."""
    link, holds = links_numbered(store, [link_id]).get(link_id, (None, False))
    return link if holds else None


def links_numbered(store: Store, numbers: Sequence[int]) -> dict[int, tuple[MemoryLink, bool]]:
    """Return links and whether each is in force, without those of erased memories."""
    found = store.rows(
        f"SELECT {_COLUMNS}, {_HOLDS} FROM memory_links l WHERE l.id IN (SELECT value FROM json_each(?))",
        (json.dumps(list(numbers)),),
    )
    return {row[0]: (MemoryLink(*row[:-2], is_edit=bool(row[-2])), bool(row[-1])) for row in found}


def links_replacing(store: Store, seqs: Sequence[int]) -> list[MemoryLink]:
    """Return the links by which others replaced *seqs*."""
    return _links(
        store,
        f"SELECT {_COLUMNS} FROM memories m JOIN memory_links l ON l.older = m.seq AND l.newer = m.superseded_by"
        f" WHERE m.seq IN (SELECT value FROM json_each(?)) AND {_DECIDES}",
        (json.dumps(list(seqs)),),
    )


def numbers_of_links(store: Store, seq: int) -> set[int]:
    """Return all link numbers of *seq*, undone ones too."""
    statement = "SELECT id FROM memory_links WHERE newer = ?1 OR older = ?1"
    return {*store.column(statement, (seq,))}


def add(store: Store, link: NewLink, now_ms: int) -> int:
    """Store *link*; return its number.

    A known one stays unless the new author outranks it. The caller must have asked `would_circle`.
    """
    known = _links(
        store,
        f"SELECT {_COLUMNS} FROM memory_links l WHERE l.older = ? AND l.newer = ? AND l.relation = ? AND {_HOLDS}",
        (link.older, link.newer, link.relation),
    )
    if known and AUTHORITY.index(known[0].said_by) >= AUTHORITY.index(link.said_by):
        return known[0].id
    if known:
        store.execute("UPDATE memory_links SET undone_at = ? WHERE id = ?", (now_ms, known[0].id))
        note(store, Step("link", known[0].id, HOLDS, None))
    number = store.insert("memory_links (newer, older, relation, said_by, said, is_edit, at)", (*link, now_ms))
    note(store, Step("link", number, None, HOLDS))
    if link.relation == "replaces":
        repoint(store, [link.older])
    return number


def set_link(store: Store, link: NewLink, at: int) -> None:
    """Put another replica's *link* in force as of *at*, instead of any between the memories."""
    for known in links_among(store, [link.older]):
        if (known.newer, known.older, known.relation) == (link.newer, link.older, link.relation):
            undo_link(store, known.id, at)
    add(store, link, at)


def undo_link(store: Store, link_id: int, now_ms: int) -> None:
    """Undo the link; its older memory is in force unless otherwise replaced."""
    link = link_numbered(store, link_id)
    if link is not None:
        store.execute("UPDATE memory_links SET undone_at = ? WHERE id = ?", (now_ms, link_id))
        note(store, Step("link", link_id, HOLDS, None))
        repoint(store, [link.older])


def make_again(store: Store, link_id: int) -> None:
    """Restore an undone link; the caller must have asked `can_hold`."""
    store.execute("UPDATE memory_links SET undone_at = NULL WHERE id = ?", (link_id,))
    note(store, Step("link", link_id, None, HOLDS))
    repoint(store, store.column("SELECT older FROM memory_links WHERE id = ?", (link_id,)))


def can_hold(store: Store, link: MemoryLink) -> bool:
    """Tell whether restoring *link* makes no duplicate and no circle."""
    same = (link.older, link.newer, link.relation)
    is_known = any((each.older, each.newer, each.relation) == same for each in links_among(store, [link.older]))
    return not is_known and not would_circle(store, link.newer, link.older, link.relation)


def would_circle(store: Store, newer: int, older: int, relation: Relation = "replaces") -> bool:
    """Tell whether a link of the two would make a circle."""
    if newer == older:
        return True
    if relation == "disagrees":
        return False
    reached = _REACHED.format(near="newer", far="older", places="(?)")
    statement = f"{reached} SELECT EXISTS (SELECT 1 FROM reached WHERE seq = ?)"
    return bool(store.value(statement, (older, relation, relation, newer)))


def history_of(store: Store, seq: int) -> History:
    """Return all versions of *seq* and their links."""
    before = _reachable(store, [seq], "newer", "older", "replaces")
    after = _reachable(store, [seq], "older", "newer", "replaces")
    versions = _oldest_first(store, {seq, *before, *after})
    return History(versions, links_among(store, versions))


def newest_versions(store: Store, seqs: Sequence[int]) -> dict[int, int]:
    """Return each memory's present successor, or itself."""
    if not seqs:
        return {}
    places, numbers = in_list(sorted(set(seqs)))
    return dict(
        store.rows(
            "WITH RECURSIVE later (first, seq) AS (SELECT seq, seq FROM memories"
            f" WHERE seq IN {places} UNION SELECT l.first, m.superseded_by FROM later l JOIN memories m"
            " ON m.seq = l.seq WHERE m.superseded_by IS NOT NULL) SELECT l.first, l.seq FROM later l JOIN memories m"
            " ON m.seq = l.seq WHERE m.superseded_by IS NULL",
            numbers,
        )
    )


def repoint(store: Store, seqs: Iterable[int]) -> None:
    """Derive `superseded_by` of *seqs*, and dependent memories, from links."""
    waiting = list(seqs)
    while waiting:
        seq = waiting.pop()
        replacing: int | None = store.value(f"SELECT {_REPLACING} FROM memories m WHERE m.seq = ?", (seq,))
        store.execute(
            "UPDATE memories SET superseded_by = ?1 WHERE seq = ?2 AND superseded_by IS NOT ?1", (replacing, seq)
        )
        if store.connection.changes():
            waiting += _replaced_by_purged(store, seq)


def repoint_purged(store: Store, seq: int) -> None:
    """Derive `superseded_by` after a purge, restoration, proposal or confirmation."""
    older = store.rows(f"SELECT DISTINCT l.older FROM memory_links l WHERE l.newer = ? AND {_DECIDES}", (seq,))
    repoint(store, [each for (each,) in older])


def repoint_across(store: Store, seqs: Sequence[int]) -> None:
    """Derive `superseded_by` after moves: none hides another project's."""
    numbers = json.dumps(list(seqs))
    listed = "(SELECT value FROM json_each(?))"
    found = store.rows(
        f"SELECT older FROM memory_links l WHERE {_DECIDES} AND (older IN {listed} OR newer IN {listed})",
        (numbers, numbers),
    )
    repoint(store, sorted({older for (older,) in found}))


def pointers_differing(store: Store) -> list[int]:
    """Return memories with a wrong `superseded_by`; for tests."""
    return store.column(
        "SELECT m.seq FROM memories m WHERE (m.superseded_by IS NOT NULL OR m.seq IN (SELECT older FROM memory_links))"
        f" AND m.superseded_by IS NOT {_REPLACING}"
    )


def forget_links(store: Store, seq: int) -> None:
    """Delete all links of *seq*, before its deletion."""
    replaced = store.rows(
        "SELECT older FROM memory_links WHERE newer = ? UNION SELECT seq FROM memories WHERE superseded_by = ?",
        (seq, seq),
    )
    store.execute("DELETE FROM memory_links WHERE newer = ?1 OR older = ?1", (seq,))
    repoint(store, [older for (older,) in replaced])


def _replaced_by_purged(store: Store, seq: int) -> list[int]:
    return store.column(
        "SELECT DISTINCT l.older FROM memory_links l JOIN memories n ON n.seq = l.newer"
        f" WHERE l.newer = ? AND (n.deleted_at IS NOT NULL OR n.seq IN (SELECT seq FROM proposals)) AND {_DECIDES}",
        (seq,),
    )


def _reachable(store: Store, seqs: Sequence[int], near: str, far: str, relation: Relation) -> set[int]:
    places, numbers = in_list(seqs)
    statement = f"{_REACHED.format(near=near, far=far, places=places)} SELECT seq FROM reached LIMIT ?"
    return {*store.column(statement, (*numbers, relation, relation, VERSIONS_MAX))}


def _oldest_first(store: Store, seqs: set[int]) -> list[int]:
    places, numbers = in_list(sorted(seqs))
    dated = store.rows(f"SELECT seq FROM memories WHERE seq IN {places} ORDER BY created_at, seq", numbers)
    before: dict[int, set[int]] = {}
    for link in links_among(store, sorted(seqs)):
        if link.relation == "replaces" and link.said_by != "inferred" and {link.newer, link.older} <= seqs:
            before.setdefault(link.newer, set()).add(link.older)
    waiting = [seq for (seq,) in dated]
    ordered: list[int] = []
    while waiting:
        # Links make no circle; where a damaged table has one, the date decides.
        following = next((seq for seq in waiting if before.get(seq, set()) <= set(ordered)), waiting[0])
        waiting.remove(following)
        ordered.append(following)
    return ordered


def _links(store: Store, statement: str, values: Sequence[int | str]) -> list[MemoryLink]:
    found = store.rows(statement, values)
    return [MemoryLink(*row[:-1], is_edit=bool(row[-1])) for row in found]
