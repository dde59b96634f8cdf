"""SQL of `team_heard`, `team_parked`, `team_authors`, `team_replicas`: other replicas' operations."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from palimp_daemon.search.engine import Filter
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memory_rows import Row

FROM_TEAM: Final = "team"
"""The source of memories from another replica."""


REFUSED: Final = "refused"
"""State of this replica's operation that the medium refused."""


class Parked(NamedTuple):
    """An operation that cannot be applied yet."""

    replica: str
    counter: int
    body: bytes


def heard_counters(store: Store, project: int) -> dict[str, int]:
    """Return each other replica's last applied counter."""
    return dict(store.rows("SELECT replica, counter FROM team_heard WHERE project_id = ?", (project,)))


def set_heard(store: Store, project: int, replica: str, counter: int) -> None:
    """Note the last applied counter of *replica*."""
    store.insert("team_heard (project_id, replica, counter)", (project, replica, counter), or_="REPLACE")


def park(store: Store, project: int, parked: Parked, waits_for: str, why: str) -> None:
    """Keep an operation until the memory *waits_for* is here; empty: for a newer palimp."""
    store.insert(
        "team_parked (project_id, replica, counter, waits_for, why, body)",
        (project, parked.replica, parked.counter, waits_for, why, parked.body),
        or_="REPLACE",
    )


def has_parked(store: Store, project: int) -> bool:
    """Tell whether operations wait for a newer palimp."""
    statement = "SELECT EXISTS (SELECT 1 FROM team_parked WHERE project_id = ? AND waits_for = '')"
    return bool(store.value(statement, (project,)))


def has_parked_merge(store: Store, project: int) -> bool:
    """Tell whether a merge with another project waits."""
    statement = (
        "SELECT EXISTS (SELECT 1 FROM team_parked WHERE project_id = ? AND waits_for = ''"
        ' AND instr(CAST(body AS TEXT), \'"kind":"merge"\'))'
    )
    return bool(store.value(statement, (project,)))


def count_parked(store: Store, project: int) -> int:
    """Count others' operations that wait with a reason."""
    statement = "SELECT count(*) FROM team_parked WHERE project_id = ? AND why != '' AND waits_for != ?"
    return store.value(statement, (project, REFUSED))


def count_refused(store: Store, project: int) -> int:
    """Count this replica's operations refused by the medium."""
    statement = "SELECT count(*) FROM team_parked WHERE project_id = ? AND waits_for = ?"
    return store.value(statement, (project, REFUSED))


def parked_operations(store: Store, project: int, limit: int) -> list[tuple[str, int, str]]:
    """Return (author, counter, reason) of waiting operations with a reason; empty author: this machine."""
    return store.rows(
        "SELECT CASE WHEN p.waits_for = ? THEN '' ELSE coalesce(nullif(r.login, ''), p.replica) END, p.counter, p.why"
        " FROM team_parked p LEFT JOIN team_replicas r ON r.replica = p.replica WHERE p.project_id = ? AND p.why != ''"
        " ORDER BY p.replica, p.counter LIMIT ?",
        (REFUSED, project, limit),
    )


def erasures_parked(store: Store, project: int, limit: int) -> dict[str, list[int]]:
    """Return {replica: numbers} of others' erasures that wait with a reason."""
    found: dict[str, list[int]] = {}
    for replica, counter in store.rows(
        "SELECT replica, counter FROM team_parked WHERE project_id = ? AND why != '' AND waits_for != ?"
        ' AND instr(CAST(body AS TEXT), \'"kind":"erase"\') LIMIT ?',
        (project, REFUSED, limit),
    ):
        found.setdefault(replica, []).append(counter)
    return found


def is_awaited(store: Store, home: int, memory: str) -> bool:
    """Tell whether operations of any key of *home* wait for *memory* (empty: a newer palimp)."""
    statement = (
        "SELECT EXISTS (SELECT 1 FROM team_projects t JOIN team_parked p ON p.project_id = t.project_id"
        " WHERE t.home = ? AND p.waits_for = ?)"
    )
    return bool(store.value(statement, (home, memory)))


def awaited_among(store: Store, home: int, memories: Sequence[str]) -> list[str]:
    """Return *memories* that operations of any key of *home* wait for."""
    statement = (
        "SELECT DISTINCT p.waits_for FROM team_projects t JOIN team_parked p ON p.project_id = t.project_id"
        " WHERE t.home = ? AND p.waits_for IN (SELECT value FROM json_each(?))"
    )
    return store.column(statement, (home, json.dumps(memories)))


def parked_for(store: Store, project: int, memory: str) -> list[Parked]:
    """Remove and return the operations that wait for *memory* (empty: a newer palimp)."""
    found = store.rows(
        "SELECT replica, counter, body FROM team_parked WHERE project_id = ? AND waits_for = ?"
        " ORDER BY replica, counter",
        (project, memory),
    )
    store.execute("DELETE FROM team_parked WHERE project_id = ? AND waits_for = ?", (project, memory))
    return [Parked(*row) for row in found]


def forget_parked_about(store: Store, project: int, memory: str) -> None:
    """Remove the waiting operations on an erased memory."""
    store.execute("DELETE FROM team_parked WHERE project_id = ? AND instr(CAST(body AS TEXT), ?)", (project, memory))


def set_authors(store: Store, authors: Sequence[tuple[int, str, str]]) -> None:
    """Set each memory's replica and author's name."""
    store.connection.executemany("INSERT OR REPLACE INTO team_authors (seq, replica, name) VALUES (?, ?, ?)", authors)


def authors_of(store: Store, seqs: Sequence[int]) -> dict[int, str]:
    """Return authors of other replicas' memories: login, or machine of the same person."""
    statement = (
        "SELECT a.seq, coalesce(nullif(r.login, ''), a.name) FROM team_authors a"
        " LEFT JOIN team_replicas r ON r.replica = a.replica WHERE a.seq IN (SELECT value FROM json_each(?))"
    )
    return dict(store.rows(statement, (json.dumps(list(seqs)),)))


def authors_among(store: Store, memories: Iterable[Row]) -> dict[int, str]:
    """Return `authors_of` by rows."""
    sent = [row.seq for row in memories if row.source == FROM_TEAM]
    return authors_of(store, sent) if sent else {}


def in_team_scope(scope: str) -> Filter:
    """Return the filter of others' memories `m` (*scope* `team`), or of one's own (`mine`)."""
    theirs = (
        "EXISTS (SELECT 1 FROM team_authors a JOIN team_replicas r ON r.replica = a.replica"
        " WHERE a.seq = m.seq AND r.login != '')"
    )
    return Filter({"team": theirs, "mine": f"NOT {theirs}"}.get(scope, "1"))


def by_author(name: str) -> Filter:
    """Return the filter of memories `m` by an author named as in `authors_of`."""
    named = (
        "EXISTS (SELECT 1 FROM team_authors a LEFT JOIN team_replicas r ON r.replica = a.replica"
        " WHERE a.seq = m.seq AND lower(coalesce(nullif(r.login, ''), a.name)) = lower(?))"
    )
    return Filter(named, (name.strip(),))


def note_replicas(store: Store, logins: Mapping[str, str]) -> None:
    """Note each replica's login; a known one stays, against takeover."""
    store.connection.executemany(
        "INSERT OR IGNORE INTO team_replicas (replica, login) VALUES (?, ?)", list(logins.items())
    )
