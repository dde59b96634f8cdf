"""SQL of `memories`: insert, look up, list, purge, restore."""

import json
from collections.abc import Callable, Collection, Sequence
from typing import Final, Literal, NamedTuple

import apsw

from palimp_daemon.runtime.sql import in_list, insert_rows, row_list
from palimp_daemon.search.engine import Filter
from palimp_daemon.search.minhash import normalize, without_spaces
from palimp_daemon.store.ids import IdsOfSecond, second_prefix, shown_of
from palimp_daemon.store.integrity.checksums import memory_sum
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.act_rows import forget_wordings
from palimp_daemon.store.tables.memory_links import forget_links, repoint_purged
from palimp_daemon.store.tables.memory_subjects import keep_subjects, replace_subjects
from palimp_daemon.store.tables.steps import Step, Wording, note, storing_step
from palimp_daemon.store.tables.team_erased import note_erased_text
from palimp_daemon.store.tables.words.vocabulary import add_stems

AFTER_ALL_DIGITS: Final = "~"
"""Sorts after every digit of an id, so a prefix and this bound all its ids."""

AMBIGUOUS_SHOWN_MAX: Final = 5
"""Candidates named when an id prefix is ambiguous."""


Exclusion = Literal["proposals", "mutes", "team_untold"]
"""Tables of memories not shown unasked."""

PROPOSALS_COUNTED: Final = 300
"""Newest proposals subtracted from a count, in two milliseconds; older ones count as confirmed."""


class Row(NamedTuple):
    """A stored memory; *project* and *session* are names."""

    seq: int
    id: str
    title: str
    content: str
    tags: str
    kind: str
    source: str
    created_at: int
    updated_at: int | None
    deleted_at: int | None
    superseded_by: str | None
    project: str
    session: str | None
    project_id: int
    session_id: int | None
    id_before: str | None
    """The preceding id in the whole table; with *id_after*, it decides the shown length."""
    id_after: str | None
    quote: str
    """The sentences behind a captured memory; empty: it was saved."""
    client: str | None = None
    """The session's."""


class NewMemory(NamedTuple):
    """A memory to be stored."""

    project_id: int
    session_id: int | None
    title: str
    content: str
    tags: Sequence[str]
    kind: str
    source: str
    extra: str
    """Further text to index (`search.index_terms`)."""
    created_at: int
    quote: str = ""
    """The sentences behind a captured memory."""


_ROW: Final = (
    "SELECT m.seq, m.id, m.title, m.content, m.tags, m.kind, m.source, m.created_at, m.updated_at, m.deleted_at,"
    " (SELECT s.id FROM memories s WHERE s.seq = m.superseded_by), p.name, t.key, m.project_id, m.session_id,"
    " (SELECT max(o.id) FROM memories o WHERE o.id < m.id), (SELECT min(o.id) FROM memories o WHERE o.id > m.id),"
    " m.quote, t.client"
    " FROM memories m JOIN projects p ON p.id = m.project_id LEFT JOIN sessions t ON t.id = m.session_id"
)


def insert(store: Store, memory: NewMemory, random: Callable[[], int]) -> tuple[int, str]:
    """Store *memory*; return number and shown id, with bits from *random*."""
    memory_id, shown = draw_id(store, memory.created_at, random)
    return insert_as(store, memory_id, memory), shown


def insert_as(store: Store, memory_id: str, memory: NewMemory) -> int:
    """Store *memory* under a free id; return its number."""
    seq = store.insert(f"memories ({_COLUMNS})", _values(memory_id, memory))
    note(store, storing_step(seq))
    keep_subjects(store, [(seq, memory.project_id, memory.kind, memory.content)])
    return seq


def insert_all(store: Store, memories: "Sequence[tuple[str, NewMemory]]") -> int:
    """Store *memories*, at least one, under free ids; return the first number, others follow.

    The caller must note them (`steps.storing_step`). Few statements without callbacks let other threads run.
    """
    rows_of = [_values(*each) for each in memories]
    listed, values = row_list([(place, _sum(each)) for place, each in enumerate(rows_of, 1)])
    # As AUTOINCREMENT will number them (sqlite.org/autoinc.html).
    newest = "SELECT seq FROM sqlite_sequence WHERE name = 'memories' UNION SELECT max(seq) FROM memories"
    store.execute(
        f"INSERT INTO sums (seq, sum) SELECT (SELECT coalesce(max(seq), 0) FROM ({newest})) + column1, column2"
        f" FROM {listed} WHERE column1 IS NOT NULL",
        values,
    )
    insert_rows(store.connection, f"memories ({_COLUMNS})", rows_of)
    first = store.connection.last_insert_rowid() - len(memories) + 1
    keep_subjects(store, ((seq, new.project_id, new.kind, new.content) for seq, (_, new) in enumerate(memories, first)))
    return first


_COLUMNS: Final = "id, project_id, session_id, title, content, tags, kind, source, extra, created_at, quote"


def _values(memory_id: str, memory: NewMemory) -> "tuple[apsw.SQLiteValue, ...]":
    project, session, title, content, tags, *rest = memory
    return (memory_id, project, session, title, content, " ".join(tags), *rest)


def _sum(values: "tuple[apsw.SQLiteValue, ...]") -> int:
    whole_id, project, _, title, content, tags, kind, source, _, created_at, quote = values
    return memory_sum(whole_id, project, title, content, tags, kind, source, created_at, None, None, quote)


def draw_id(store: Store, now_ms: int, random: Callable[[], int]) -> tuple[str, str]:
    """Return a new id, of *now_ms* or a later second, and its shown form."""
    second, ids = second_prefix("m", now_ms), store.ids_of_second
    if ids is None or ids.prefix != second:
        range_ = (second, second + AFTER_ALL_DIGITS)
        found = store.rows("SELECT id FROM memories WHERE id >= ? AND id < ?", range_)
        ids = IdsOfSecond("m", now_ms, (memory_id for (memory_id,) in found))
        store.ids_of_second = ids
    return ids.draw(random) or draw_id(store, now_ms + 1000, random)


def shown_id(row: Row) -> str:
    """Return the shown form of an id; an older or foreign one is lengthened until unique."""
    before, after = row.id_before or "", row.id_after or ""
    length = len(shown_of(row.id))
    while length < len(row.id) and (before.startswith(row.id[:length]) or after.startswith(row.id[:length])):
        length += 1
    return row.id[:length]


def unmarked_condition(*marks: Exclusion) -> str:
    """Return the condition that a memory `m` lacks *marks*."""
    return " AND ".join(f"m.seq NOT IN (SELECT seq FROM {mark})" for mark in marks) or "1"


class Selection(NamedTuple):
    """Memories of *projects* (rows) and *kinds* (empty: all) under *where*."""

    projects: Sequence[int]
    kinds: Sequence[str] = ()
    where: Filter = Filter("1")
    without: Sequence[Exclusion] = ()
    """Marks that none of them has."""

    @property
    def condition(self) -> Filter:
        """Its condition besides project and kind."""
        return Filter(f"{self.where.sql} AND {unmarked_condition(*self.without)}", self.where.values)


def in_scope(projects: Sequence[int]) -> Filter:
    """Return the filter of memories of *projects* (rows)."""
    return Filter(f"m.project_id IN ({', '.join('?' * len(projects))})", tuple(projects))


def of_client(name: str) -> Filter:
    """Return the filter of memories `m` saved by the client *name*."""
    return Filter("m.session_id IN (SELECT id FROM sessions WHERE lower(client) = lower(?))", (name.strip(),))


def rows_by_prefix(store: Store, prefix: str, where: Filter) -> list[Row]:
    """Return up to a few memories with the id *prefix*."""
    # Ids first, whatever SQLite thinks of it: those that begin so are few, a project's memories are many.
    ids = "m.seq IN (SELECT seq FROM memories WHERE id >= ? AND id < ?)"
    return _rows(
        store,
        f"{ids} AND {where.sql} ORDER BY m.id LIMIT ?",
        (prefix, prefix + AFTER_ALL_DIGITS, *where.values, AMBIGUOUS_SHOWN_MAX),
    )


def rows_by_seq(store: Store, seqs: Sequence[int]) -> list[Row]:
    """Return *seqs*, in that order."""
    if not seqs:
        return []
    places, values = in_list(seqs)
    found = {row.seq: row for row in _rows(store, f"m.seq IN {places}", values)}
    return [found[seq] for seq in seqs]


class MemoryState(NamedTuple):
    """The mutable parts of a memory."""

    purged_at: int | None
    superseded_by: int | None
    project_id: int
    wording: Wording


def states_of(store: Store, seqs: Collection[int]) -> dict[int, MemoryState]:
    """Return the states of *seqs*, without erased ones."""
    statement = (
        "SELECT seq, deleted_at, superseded_by, project_id, title, tags, updated_at FROM memories"
        " WHERE seq IN (SELECT value FROM json_each(?))"
    )
    found = store.rows(statement, (json.dumps([*seqs]),))
    return {
        seq: MemoryState(purged, superseded, project, Wording(*wording))
        for seq, purged, superseded, project, *wording in found
    }


def fitting(store: Store, seqs: Sequence[int], where: Filter) -> set[int]:
    """Return those of *seqs* under *where*."""
    if not seqs:
        return set()
    places, values = in_list(seqs)
    statement = f"SELECT m.seq FROM memories m WHERE m.seq IN {places} AND {where.sql}"
    return {*store.column(statement, (*values, *where.values))}


_Order = tuple[str, str, Sequence[str]]
"""Indexes of a project's memories, in all and by kind, with their ordering columns."""

_BY_NUMBER: Final[_Order] = ("by_project", "by_kind", ("m.seq",))
_BY_TIME: Final[_Order] = ("by_time", "kinds_by_time", ("m.created_at", "m.seq"))


def newest(store: Store, selection: Selection, limit: int) -> tuple[list[Row], int]:
    """Return the newest memories, and the number of all.

    A team's arrive in any order, so there dates decide.
    """
    walk = _BY_TIME if store.value("SELECT EXISTS (SELECT 1 FROM team_projects)") else _BY_NUMBER
    return _walk(store, selection, walk, "DESC", (limit, 0)), _count(store, selection)


def by_time(
    store: Store, selection: Selection, limit: int, offset: int = 0, *, oldest_first: bool = False
) -> tuple[list[Row], int]:
    """Return memories by date, not number, latest (or oldest) first, and the number of all."""
    order = "ASC" if oldest_first else "DESC"
    return _walk(store, selection, _BY_TIME, order, (limit, offset)), _count(store, selection)


def _walk(store: Store, selection: Selection, walk: _Order, order: str, page: tuple[int, int]) -> list[Row]:
    """Return a *page* (limit, offset) of *selection*.

    Each project and kind is walked backwards: of two at once SQLite sorts all.
    """
    where, (of_project, of_projects_kind, columns) = selection.condition, walk
    parts: list[str] = []
    values: list[apsw.SQLiteValue] = []
    for project in selection.projects:
        for kind in selection.kinds or (None,):
            index, of_kind = (of_project, "") if kind is None else (of_projects_kind, "AND m.kind = ?")
            parts.append(
                f"SELECT * FROM (SELECT {', '.join(columns)} FROM memories m INDEXED BY memories_{index}"
                f" WHERE m.project_id = ? {of_kind} AND {where.sql}"
                f" ORDER BY {', '.join(f'{column} {order}' for column in columns)} LIMIT ?)"
            )
            values += (project, *(() if kind is None else (kind,)), *where.values, sum(page))
    if not parts:
        return []
    in_order = ", ".join(f"{place} {order}" for place in range(1, len(columns) + 1))
    found = store.rows(f"{' UNION ALL '.join(parts)} ORDER BY {in_order} LIMIT ? OFFSET ?", (*values, *page))
    return rows_by_seq(store, [row[-1] for row in found])


def tags_in(store: Store, projects: Sequence[int]) -> list[str]:
    """Return the tags, separated by spaces, of each memory not purged."""
    where = in_scope(projects)
    return store.column(
        f"SELECT m.tags FROM memories m WHERE {where.sql} AND m.tags != '' AND m.deleted_at IS NULL", where.values
    )


def _count(store: Store, selection: Selection) -> int:
    """Count *selection*, marked ones separately: looking up all would double the time."""
    projects, kinds, where, without = selection
    if not projects:
        return 0
    of_kind = f"AND m.kind IN ({', '.join('?' * len(kinds))})" if kinds else ""
    of_these = f"m.project_id IN ({', '.join('?' * len(projects))}) {of_kind} AND {where.sql}"
    values = (*projects, *kinds, *where.values)
    everything: int = store.value(
        f"SELECT count(*) FROM memories m INDEXED BY memories_by_kind WHERE {of_these}", values
    )
    if not without:
        return everything
    index = "INDEXED BY memories_by_kind" if kinds else ""  # which holds all that is asked for
    them = f"({' UNION '.join(map(_COUNTED_OF.__getitem__, without))}) o CROSS JOIN memories m {index}"
    crossed = f"SELECT count(*) FROM {them} WHERE m.seq = o.seq AND {of_these}"
    return everything - store.value(crossed, values)


_COUNTED_OF: Final[dict[Exclusion, str]] = {
    "proposals": f"SELECT * FROM (SELECT seq FROM proposals ORDER BY seq DESC LIMIT {PROPOSALS_COUNTED})",
    "mutes": "SELECT seq FROM mutes",
    "team_untold": f"SELECT * FROM (SELECT seq FROM team_untold ORDER BY seq DESC LIMIT {PROPOSALS_COUNTED})",
}
"""The marked memories to subtract from a count."""


def beside(store: Store, row: Row, where: Filter) -> list[Row]:
    """Return the memories before and after *row*."""
    values = (row.project_id, row.seq, *where.values)
    before = _rows(store, f"m.project_id = ? AND m.seq < ? AND {where.sql} ORDER BY m.seq DESC LIMIT 1", values)
    after = _rows(store, f"m.project_id = ? AND m.seq > ? AND {where.sql} ORDER BY m.seq LIMIT 1", values)
    return before + after


def replace_text(store: Store, seq: int, memory: NewMemory) -> None:
    """Replace the texts of *seq*."""
    store.execute(
        "UPDATE memories SET title = ?, content = ?, extra = ?, quote = ?, updated_at = ? WHERE seq = ?",
        (memory.title, memory.content, memory.extra, memory.quote, memory.created_at, seq),
    )
    replace_subjects(store, seq, memory.project_id, memory.kind, memory.content)
    add_stems(store, memory.title, memory.content, memory.extra)


def record_repeat(store: Store, row: Row, title: str, tags: Sequence[str], now_ms: int) -> None:
    """Note that *row* was repeated, perhaps with new *title* and *tags*."""
    texts = {"title": title, "tags": " ".join(tags)}
    changed = {name: text for name, text in texts.items() if text != getattr(row, name)}
    columns = ", ".join(f"{name} = ?" for name in [*changed, "updated_at"])
    store.execute(f"UPDATE memories SET {columns} WHERE seq = ?", (*changed.values(), now_ms, row.seq))
    add_stems(store, *changed.values())
    before, after = Wording(row.title, row.tags, row.updated_at), Wording(texts["title"], texts["tags"], now_ms)
    note(store, Step("text", row.seq, before, after))


def set_wording(store: Store, seq: int, before: Wording, after: Wording) -> None:
    """Change the wording of *seq*."""
    store.execute(
        "UPDATE memories SET title = ?, tags = ?, updated_at = ? WHERE seq = ?",
        (after.title, after.tags, after.updated_at, seq),
    )
    add_stems(store, after.title, after.tags)
    note(store, Step("text", seq, before, after))


def distinct(found: Sequence[Row]) -> list[Row]:
    """Drop memories with an earlier one's kind and text."""
    if len({without_spaces(row.content) for row in found}) == len(found):
        return [*found]  # none of them, which is told sooner
    said: set[tuple[str, str, bool]] = set()
    left: list[Row] = []
    for row in found:
        key = (row.kind, normalize(row.content), row.deleted_at is None)
        if key not in said:
            said.add(key)
            left.append(row)
    return left


def set_purged(store: Store, seq: int, purged_at: int | None) -> None:
    """Mark *seq* as purged, with None as restored; update the memories it replaced."""
    before: int | None = store.value("SELECT deleted_at FROM memories WHERE seq = ?", (seq,))
    store.execute("UPDATE memories SET deleted_at = ? WHERE seq = ?", (purged_at, seq))
    if before != purged_at:
        note(store, Step("purged", seq, before, purged_at))
    repoint_purged(store, seq)


def erase(store: Store, seq: int, shown: str) -> None:
    """Delete *seq*, its signature, vector, index, marks, and replies that name *shown*.

    Memories that it replaced are in force again. Hashes of its origin stay, lest it be imported again.
    """
    [(whole, text)] = store.rows("SELECT id, content FROM memories WHERE seq = ?", (seq,)) or [("", "")]
    forget_links(store, seq)
    for table in ("sketches", "injected", "given"):
        store.execute(f"DELETE FROM {table} WHERE seq = ?", (seq,))
    forget_wordings(store, seq)
    store.execute("DELETE FROM requests WHERE instr(CAST(reply AS TEXT), ?) > 0", (shown,))
    store.execute("DELETE FROM memories WHERE seq = ?", (seq,))
    note_erased_text(store, whole, text)


def delete_project_memories(store: Store, project: int) -> None:
    """Delete all memories of *project* for good."""
    store.execute("DELETE FROM sketches WHERE seq IN (SELECT seq FROM memories WHERE project_id = ?)", (project,))
    store.execute("DELETE FROM memories WHERE project_id = ?", (project,))
    store.execute("DELETE FROM acts WHERE project_id = ?", (project,))


def _rows(store: Store, where: str, values: "Sequence[apsw.SQLiteValue]") -> list[Row]:
    return store.records(Row, f"{_ROW} WHERE {where}", values)


NEAR_MS: Final = 3_600_000
"""Milliseconds within which memories saved before or after something may tell its reason: an hour."""


def saved_near(store: Store, project: int, session: str, at: int) -> str:
    """Return id and title of the session's memory nearest to *at*, or empty."""
    if not session:
        return ""
    found = store.rows(
        f"{_ROW} WHERE m.project_id = ? AND t.key = ? AND m.deleted_at IS NULL AND m.created_at BETWEEN ? AND ?"
        " ORDER BY abs(m.created_at - ?) LIMIT 1",
        (project, session, at - NEAR_MS, at + NEAR_MS, at),
    )
    return f"{shown_id(Row(*found[0]))} {found[0][2]}" if found else ""
