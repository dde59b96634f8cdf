"""SQL of the tables `team` and `team_…`: the team that this machine is in, and how far its projects are exchanged.

`team_pending` and `team_erased` are written by triggers, in the transaction of each change of a shared project
(`migrations/0022_team.sql`); all else by `palimp_daemon.features.team`.
"""

import json
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from palimp_daemon.runtime.sql import rows, value
from palimp_daemon.store.store import Store

FROM_TEAM: Final = "team"
"""The source of memories that came from another replica."""


class TeamRow(NamedTuple):
    """The team, and this replica."""

    id: str
    place: str
    replica: str
    name: str


class SharedProject(NamedTuple):
    """A project that is shared."""

    project: int
    key: str
    """Its name on every replica, in hex."""
    root: str
    name: str
    shared_at: int


class Pending(NamedTuple):
    """A memory or link that changed since it was last sent."""

    field: Literal["memory", "link"]
    number: int
    stamp: str
    """Of the change; empty: not stamped yet."""
    due: int
    """When its hold is over, in Unix milliseconds."""
    problem: str


class Logged(NamedTuple):
    """An operation of this replica."""

    counter: int
    body: bytes


class Parked(NamedTuple):
    """An operation that could not be applied yet."""

    replica: str
    counter: int
    body: bytes


class LinkState(NamedTuple):
    """A link with the ids of its memories."""

    number: int
    newer: str
    older: str
    relation: str
    said_by: str
    said: str
    at: int
    is_edit: bool
    holds: bool


def team_of(store: Store) -> TeamRow | None:
    """Return the team; None: this machine is in none."""
    found = rows(store.connection, "SELECT id, place, replica, name FROM team")
    return TeamRow(*found[0]) if found else None


def join_team(store: Store, team: TeamRow) -> None:
    """Note that this machine is in *team*."""
    store.connection.execute("INSERT INTO team (one, id, place, replica, name) VALUES (1, ?, ?, ?, ?)", team)


def leave_team(store: Store) -> None:
    """Forget the team, and how far its projects were exchanged; memories stay."""
    store.connection.execute("DELETE FROM team_projects")
    store.connection.execute("DELETE FROM team_authors")
    store.connection.execute("DELETE FROM team")


def become(store: Store, replica: str) -> None:
    """Give this machine the id *replica* from now on."""
    store.connection.execute("UPDATE team SET replica = ?", (replica,))


def last_stamp(store: Store) -> str:
    """Return the last stamp that was given or seen; empty: none was."""
    return value(store.connection, "SELECT stamp FROM team") or ""


def set_last_stamp(store: Store, stamp: str) -> None:
    """Note *stamp*, which was given or seen, if it is later than the last."""
    store.connection.execute("UPDATE team SET stamp = ?1 WHERE stamp < ?1", (stamp,))


_SHARED: Final = (
    "SELECT t.project_id, t.key, p.root, p.name, t.shared_at FROM team_projects t"
    " JOIN projects p ON p.id = t.project_id"
)


def shared_projects(store: Store) -> list[SharedProject]:
    """Return the projects that are shared."""
    return [SharedProject(*row) for row in rows(store.connection, f"{_SHARED} ORDER BY t.project_id")]


def shared_project(store: Store, project: int) -> SharedProject | None:
    """Return the project with the row *project*, if it is shared."""
    found = rows(store.connection, f"{_SHARED} WHERE t.project_id = ?", (project,))
    return SharedProject(*found[0]) if found else None


def project_with_key(store: Store, key: str) -> SharedProject | None:
    """Return the shared project that every replica calls *key*."""
    found = rows(store.connection, f"{_SHARED} WHERE t.key = ?", (key,))
    return SharedProject(*found[0]) if found else None


def share_project(store: Store, project: int, key: str, now_ms: int) -> None:
    """Share *project* as *key*; all of its memories and links are pending then."""
    connection = store.connection
    connection.execute(
        "INSERT INTO team_projects (project_id, key, shared_at) VALUES (?, ?, ?)", (project, key, now_ms)
    )
    connection.execute(
        "INSERT OR REPLACE INTO team_pending (project_id, field, number)"
        " SELECT project_id, 'memory', seq FROM memories WHERE project_id = ?",
        (project,),
    )
    connection.execute(
        "INSERT OR REPLACE INTO team_pending (project_id, field, number) SELECT m.project_id, 'link', l.id"
        " FROM memories m JOIN memory_links l ON l.newer = m.seq"
        " WHERE m.project_id = ? AND l.said_by != 'inferred' AND l.undone_at IS NULL",
        (project,),
    )


def unshare_project(store: Store, project: int) -> None:
    """Forget how far *project* was exchanged; its memories stay."""
    store.connection.execute(
        "DELETE FROM team_authors WHERE seq IN (SELECT seq FROM memories WHERE project_id = ?)", (project,)
    )
    store.connection.execute("DELETE FROM team_projects WHERE project_id = ?", (project,))


# --- what is to be sent ---------------------------------------------------------------------------

_PENDING: Final = "SELECT field, number, stamp, due, problem FROM team_pending WHERE project_id = ?"


def changes_without_stamp(store: Store, project: int, limit: int) -> list[Pending]:
    """Return at most *limit* pending changes that have no stamp yet, memories first."""
    found = rows(store.connection, f"{_PENDING} AND stamp = '' ORDER BY field DESC, number LIMIT ?", (project, limit))
    return [Pending(*row) for row in found]


def has_changes(store: Store, project: int, now_ms: int) -> bool:
    """Tell whether there are changes of *project* that have no stamp, or whose hold is over, or erased memories."""
    statement = (
        "SELECT EXISTS (SELECT 1 FROM team_pending WHERE project_id = ? AND (stamp = '' OR due <= ?) AND problem = '')"
    )
    return bool(value(store.connection, statement, (project, now_ms))) or bool(erased_unsent(store, project))


def set_stamp(store: Store, project: int, pending: Pending, stamp: str, due: int) -> None:
    """Give *pending* its *stamp*, and the time at which its hold is over."""
    store.connection.execute(
        "UPDATE team_pending SET stamp = ?, due = ? WHERE project_id = ? AND field = ? AND number = ?",
        (stamp, due, project, pending.field, pending.number),
    )


def due_changes(store: Store, project: int, now_ms: int, limit: int) -> list[Pending]:
    """Return at most *limit* pending changes whose hold is over and that have no problem: memories first, in order."""
    found = rows(
        store.connection,
        f"{_PENDING} AND stamp != '' AND due <= ? AND problem = '' ORDER BY field DESC, stamp LIMIT ?",
        (project, now_ms, limit),
    )
    return [Pending(*row) for row in found]


def pending_memories(store: Store, project: int, limit: int) -> list[Pending]:
    """Return at most *limit* pending changes of memories, the first due first."""
    found = rows(
        store.connection, f"{_PENDING} AND field = 'memory' ORDER BY stamp = '', due, number LIMIT ?", (project, limit)
    )
    return [Pending(*row) for row in found]


def pending_memory(store: Store, project: int, seq: int) -> Pending | None:
    """Return the pending change of the memory *seq*."""
    found = rows(store.connection, f"{_PENDING} AND field = 'memory' AND number = ?", (project, seq))
    return Pending(*found[0]) if found else None


def pending_link(store: Store, project: int, newer: int, older: int, relation: str) -> Pending | None:
    """Return the latest pending change of a link by which *newer* does *relation* to *older*."""
    found = rows(
        store.connection,
        f"{_PENDING} AND field = 'link' AND number IN"
        " (SELECT id FROM memory_links WHERE newer = ? AND older = ? AND relation = ?)"
        " ORDER BY stamp != '', stamp DESC",
        (project, newer, older, relation),
    )
    return Pending(*found[0]) if found else None


def note_links_due(store: Store, project: int, numbers: Sequence[int], stamp: str, due: int) -> None:
    """Note that the links *numbers*, changed at *stamp*, are *due*: a memory of theirs has just become known to all."""
    for number in numbers:
        store.connection.execute(
            "INSERT OR IGNORE INTO team_pending (project_id, field, number, stamp, due) VALUES (?, 'link', ?, ?, ?)",
            (project, number, stamp, due),
        )


def end_holds(store: Store, project: int, now_ms: int) -> None:
    """Have everything that is held be due, and try again what had a problem."""
    store.connection.execute(
        "UPDATE team_pending SET due = min(due, ?), problem = '' WHERE project_id = ? AND stamp != ''",
        (now_ms, project),
    )


def set_problem(store: Store, project: int, pending: Pending, problem: str) -> None:
    """Note why *pending* is not sent; empty: it is to be tried again."""
    store.connection.execute(
        "UPDATE team_pending SET problem = ? WHERE project_id = ? AND field = ? AND number = ?",
        (problem, project, pending.field, pending.number),
    )


def settle_pending(store: Store, project: int, pending: Pending) -> None:
    """Forget *pending*: it was sent, or there is nothing to send."""
    store.connection.execute(
        "DELETE FROM team_pending WHERE project_id = ? AND field = ? AND number = ?",
        (project, pending.field, pending.number),
    )


def links_of_memory(store: Store, seq: int) -> list[int]:
    """Return the numbers of the links of the memory *seq* that somebody said and that hold."""
    statement = (
        "SELECT id FROM memory_links WHERE (newer = ?1 OR older = ?1) AND said_by != 'inferred' AND undone_at IS NULL"
    )
    return [number for (number,) in rows(store.connection, statement, (seq,))]


def link_state(store: Store, number: int) -> LinkState | None:
    """Return the link *number*, also one that was undone; None: its memories were erased."""
    found = rows(
        store.connection,
        "SELECT l.id, n.id, o.id, l.relation, l.said_by, l.said, l.at, l.is_edit, l.undone_at IS NULL"
        " FROM memory_links l JOIN memories n ON n.seq = l.newer JOIN memories o ON o.seq = l.older WHERE l.id = ?",
        (number,),
    )
    for *said, is_edit, holds in found:
        return LinkState(*said, is_edit=bool(is_edit), holds=bool(holds))
    return None


def link_holding(store: Store, newer: int, older: int, relation: str) -> LinkState | None:
    """Return the link that holds by which *newer* does *relation* to *older*, if somebody said so."""
    found = rows(
        store.connection,
        "SELECT id FROM memory_links WHERE newer = ? AND older = ? AND relation = ? AND undone_at IS NULL"
        " AND said_by != 'inferred'",
        (newer, older, relation),
    )
    return link_state(store, found[0][0]) if found else None


class Found(NamedTuple):
    """A memory by its id: its number and project."""

    seq: int
    project: int


def memory_with_id(store: Store, memory: str) -> Found | None:
    """Return the memory with the whole id *memory*; None: it is not here."""
    found = rows(store.connection, "SELECT seq, project_id FROM memories WHERE id = ?", (memory,))
    return Found(*found[0]) if found else None


# --- registers ------------------------------------------------------------------------------------


def registers_of(store: Store, project: int, entity: str) -> dict[str, tuple[str, str]]:
    """Return {field: (stamp, value)} of the memory *entity*, as all replicas last heard of it."""
    found = rows(
        store.connection,
        "SELECT field, stamp, value FROM team_registers WHERE project_id = ? AND entity = ?",
        (project, entity),
    )
    return {field: (stamp, last) for field, stamp, last in found}


def set_register(store: Store, project: int, entity: str, field: str, known: tuple[str, str]) -> None:
    """Set (stamp, value) of *field* of the memory *entity*."""
    store.connection.execute(
        "INSERT OR REPLACE INTO team_registers (project_id, entity, field, stamp, value) VALUES (?, ?, ?, ?, ?)",
        (project, entity, field, *known),
    )


def link_registers(store: Store, project: int, relation: str) -> list[tuple[str, str, str, str]]:
    """Return (stamp, newer, older, value) of each link of *relation* that holds for all replicas."""
    found = rows(
        store.connection,
        "SELECT stamp, entity, substr(field, ?), value FROM team_registers"
        " WHERE project_id = ? AND field > ? AND field < ? AND value != ''",
        (len(relation) + 2, project, f"{relation} ", f"{relation} ~"),
    )
    return [(stamp, newer, older, last) for stamp, newer, older, last in found]


def forget_registers(store: Store, project: int, entity: str) -> None:
    """Forget what was heard of the memory *entity*, which is erased, but for that."""
    store.connection.execute(
        "DELETE FROM team_registers WHERE project_id = ? AND entity = ? AND field != 'erased'", (project, entity)
    )


# --- the log of this replica ----------------------------------------------------------------------


def last_counter(store: Store, project: int, replica: str) -> int:
    """Return the counter of the last operation of *replica*; 0: there is none."""
    return value(
        store.connection,
        "SELECT coalesce(max(counter), 0) FROM team_log WHERE project_id = ? AND replica = ?",
        (project, replica),
    )


def log_operation(store: Store, project: int, replica: str, entity: str, logged: Logged) -> None:
    """Add an operation of *replica* about the memory *entity* to the log."""
    store.connection.execute(
        "INSERT INTO team_log (project_id, replica, counter, entity, body) VALUES (?, ?, ?, ?, ?)",
        (project, replica, logged.counter, entity, logged.body),
    )


def logged_operations(store: Store, project: int, replica: str, after: int, limit: int) -> list[Logged]:
    """Return at most *limit* operations of *replica* after the counter *after*."""
    found = rows(
        store.connection,
        "SELECT counter, body FROM team_log WHERE project_id = ? AND replica = ? AND counter > ? ORDER BY counter"
        " LIMIT ?",
        (project, replica, after, limit),
    )
    return [Logged(*row) for row in found]


def logged_about(store: Store, project: int, entity: str) -> list[tuple[str, Logged]]:
    """Return (replica, operation) of those in the log that are about the memory *entity*."""
    found = rows(
        store.connection,
        "SELECT replica, counter, body FROM team_log WHERE project_id = ? AND entity = ?",
        (project, entity),
    )
    return [(replica, Logged(counter, body)) for replica, counter, body in found]


def clear_logged(store: Store, project: int, replica: str, logged: Logged) -> None:
    """Put *logged* in the place of an operation, of which nothing may be left where it was sent."""
    store.connection.execute(
        "UPDATE team_log SET body = ?, is_cleared = 1 WHERE project_id = ? AND replica = ? AND counter = ?",
        (logged.body, project, replica, logged.counter),
    )


def operations_to_clear(store: Store, project: int) -> list[tuple[str, Logged]]:
    """Return (replica, operation) of those that are still to be cleared where they were sent."""
    found = rows(
        store.connection,
        "SELECT replica, counter, body FROM team_log WHERE project_id = ? AND is_cleared",
        (project,),
    )
    return [(replica, Logged(counter, body)) for replica, counter, body in found]


def settle_cleared(store: Store, project: int, replica: str, counters: Sequence[int]) -> None:
    """Note that the operations *counters* of *replica* are cleared where they were sent."""
    for counter in counters:
        store.connection.execute(
            "UPDATE team_log SET is_cleared = 0 WHERE project_id = ? AND replica = ? AND counter = ?",
            (project, replica, counter),
        )


def forget_logged(store: Store, project: int, replica: str, start: int) -> list[tuple[str, bytes]]:
    """Remove the operations of *replica* from the counter *start* on; return (memory's id, operation) of each."""
    found = rows(
        store.connection,
        "SELECT entity, body FROM team_log WHERE project_id = ? AND replica = ? AND counter >= ? ORDER BY counter",
        (project, replica, start),
    )
    store.connection.execute(
        "DELETE FROM team_log WHERE project_id = ? AND replica = ? AND counter >= ?", (project, replica, start)
    )
    return [(entity, body) for entity, body in found]


def erased_unsent(store: Store, project: int) -> list[str]:
    """Return the ids of memories that were sent and are erased here, of which the others do not know yet."""
    found = rows(
        store.connection,
        "SELECT e.memory_id FROM team_erased e WHERE e.project_id = ?1"
        " AND EXISTS (SELECT 1 FROM team_registers r WHERE r.project_id = ?1 AND r.entity = e.memory_id)"
        " AND NOT EXISTS (SELECT 1 FROM team_registers r WHERE r.project_id = ?1 AND r.entity = e.memory_id"
        " AND r.field = 'erased')",
        (project,),
    )
    return [memory for (memory,) in found]


def is_erased(store: Store, project: int, memory: str) -> bool:
    """Tell whether the memory with that id was erased."""
    statement = "SELECT 1 FROM team_erased WHERE project_id = ? AND memory_id = ?"
    return value(store.connection, statement, (project, memory)) is not None


def note_erased(store: Store, project: int, memory: str) -> None:
    """Note that the memory with that id is erased, whether it was here or not."""
    store.connection.execute(
        "INSERT OR IGNORE INTO team_erased (project_id, memory_id) VALUES (?, ?)", (project, memory)
    )


# --- what others sent -----------------------------------------------------------------------------


def heard_counters(store: Store, project: int) -> dict[str, int]:
    """Return up to which counter the operations of each other replica are applied."""
    return dict(rows(store.connection, "SELECT replica, counter FROM team_heard WHERE project_id = ?", (project,)))


def set_heard(store: Store, project: int, replica: str, counter: int) -> None:
    """Note that the operations of *replica* are applied up to *counter*."""
    store.connection.execute(
        "INSERT OR REPLACE INTO team_heard (project_id, replica, counter) VALUES (?, ?, ?)", (project, replica, counter)
    )


def park(store: Store, project: int, parked: Parked, waits_for: str, why: str) -> None:
    """Keep an operation that cannot be applied before the memory *waits_for* is here, or by this palimp (empty)."""
    store.connection.execute(
        "INSERT OR REPLACE INTO team_parked (project_id, replica, counter, waits_for, why, body)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (project, parked.replica, parked.counter, waits_for, why, parked.body),
    )


def has_parked(store: Store, project: int) -> bool:
    """Tell whether operations wait for a newer palimp."""
    statement = "SELECT EXISTS (SELECT 1 FROM team_parked WHERE project_id = ? AND waits_for = '')"
    return bool(value(store.connection, statement, (project,)))


def parked_for(store: Store, project: int, memory: str) -> list[Parked]:
    """Take out the operations that wait for *memory*, and return them; empty: those of a newer palimp."""
    found = rows(
        store.connection,
        "SELECT replica, counter, body FROM team_parked WHERE project_id = ? AND waits_for = ?"
        " ORDER BY replica, counter",
        (project, memory),
    )
    store.connection.execute("DELETE FROM team_parked WHERE project_id = ? AND waits_for = ?", (project, memory))
    return [Parked(*row) for row in found]


def forget_parked_about(store: Store, project: int, memory: str) -> None:
    """Remove the operations that wait and name *memory*, which is erased."""
    store.connection.execute(
        "DELETE FROM team_parked WHERE project_id = ? AND instr(CAST(body AS TEXT), ?)", (project, memory)
    )


def set_author(store: Store, seq: int, replica: str, name: str) -> None:
    """Note that the memory *seq* came from *replica*, which is called *name*."""
    store.connection.execute(
        "INSERT OR REPLACE INTO team_authors (seq, replica, name) VALUES (?, ?, ?)", (seq, replica, name)
    )


def authors_of(store: Store, seqs: Sequence[int]) -> dict[int, str]:
    """Return which of the memories *seqs* came from another replica, each with what that one is called."""
    statement = "SELECT seq, name FROM team_authors WHERE seq IN (SELECT value FROM json_each(?))"
    return dict(rows(store.connection, statement, (json.dumps(list(seqs)),)))


class Counts(NamedTuple):
    """How far a project is exchanged."""

    held: int
    """Changes of memories that wait for the end of their hold."""
    problems: int
    parked: int


def counts_of(store: Store, project: int) -> Counts:
    """Count how far *project* is exchanged."""
    held, problems = rows(
        store.connection,
        "SELECT coalesce(sum(problem = ''), 0), coalesce(sum(problem != ''), 0) FROM team_pending"
        " WHERE project_id = ? AND field = 'memory'",
        (project,),
    )[0]
    parked = value(store.connection, "SELECT count(*) FROM team_parked WHERE project_id = ?", (project,))
    return Counts(held, problems, parked)


def erasures_logged(store: Store, project: int, replica: str) -> list[int]:
    """Return the counters of the operations of *replica* that erase a memory."""
    found = rows(
        store.connection,
        "SELECT counter FROM team_log WHERE project_id = ? AND replica = ?"
        " AND entity IN (SELECT memory_id FROM team_erased WHERE project_id = team_log.project_id)"
        ' AND instr(CAST(body AS TEXT), \'"kind":"erase"\')',
        (project, replica),
    )
    return [counter for (counter,) in found]


def memory_kinds(store: Store, project: int) -> list[tuple[int, str, str]]:
    """Return (number, kind, tags) of the memories of *project* that are not purged, the newest first."""
    return rows(
        store.connection,
        "SELECT seq, kind, tags FROM memories WHERE project_id = ? AND deleted_at IS NULL ORDER BY seq DESC",
        (project,),
    )
