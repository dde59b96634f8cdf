"""SQL of `team_pending`: unsent changes of shared memories and links, written by triggers (`0022_team.sql`)."""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.team_registers import erased_unsent


class Pending(NamedTuple):
    """A memory or link changed since last sent."""

    field: Literal["memory", "link"]
    number: int
    stamp: str
    """The change's; empty: not stamped yet."""
    due: int
    """End of its hold, in Unix milliseconds."""
    problem: str


_PENDING: Final = "SELECT field, number, stamp, due, problem FROM team_pending WHERE project_id = ?"


def changes_without_stamp(store: Store, project: int, limit: int) -> list[Pending]:
    """Return pending changes without a stamp, memories first."""
    return store.records(Pending, f"{_PENDING} AND stamp = '' ORDER BY field DESC, number LIMIT ?", (project, limit))


def has_changes(store: Store, project: int, now_ms: int) -> bool:
    """Tell whether changes without a stamp or due, erasures, or an untold key exist."""
    statement = (
        "SELECT EXISTS (SELECT 1 FROM team_pending WHERE project_id = ?1 AND (stamp = '' OR due <= ?2)"
        " AND problem = '')"
        " OR EXISTS (SELECT 1 FROM team_projects WHERE home = ?1 AND NOT is_told)"
    )
    return bool(store.value(statement, (project, now_ms))) or bool(erased_unsent(store, project))


def set_stamp(store: Store, project: int, pending: Pending, stamp: str, due: int) -> None:
    """Set *stamp* and end of hold of *pending*."""
    store.execute(
        "UPDATE team_pending SET stamp = ?, due = ? WHERE project_id = ? AND field = ? AND number = ?",
        (stamp, due, project, pending.field, pending.number),
    )


def settle_new(store: Store, project: int, first: int, count: int) -> None:
    """Note that all replicas know *count* memories from *first* on."""
    statement = "DELETE FROM team_pending WHERE project_id = ? AND field = 'memory' AND number >= ? AND number < ?"
    store.execute(statement, (project, first, first + count))


def due_changes(store: Store, project: int, now_ms: int, limit: int) -> list[Pending]:
    """Return due changes without a problem, memories first, in order."""
    return store.records(
        Pending,
        f"{_PENDING} AND stamp != '' AND due <= ? AND problem = '' ORDER BY field DESC, stamp LIMIT ?",
        (project, now_ms, limit),
    )


def pending_memories(store: Store, project: int, limit: int) -> list[Pending]:
    """Return pending changes of memories, first due first."""
    return store.records(
        Pending, f"{_PENDING} AND field = 'memory' ORDER BY stamp = '', due, number LIMIT ?", (project, limit)
    )


def pending_memory(store: Store, project: int, seq: int) -> Pending | None:
    """Return the pending change of *seq*."""
    return store.record(Pending, f"{_PENDING} AND field = 'memory' AND number = ?", (project, seq))


def pending_link(store: Store, project: int, newer: int, older: int, relation: str) -> Pending | None:
    """Return the latest pending change of a link of *relation* between two memories."""
    return store.record(
        Pending,
        f"{_PENDING} AND field = 'link' AND number IN"
        " (SELECT id FROM memory_links WHERE newer = ? AND older = ? AND relation = ?)"
        " ORDER BY stamp != '', stamp DESC",
        (project, newer, older, relation),
    )


def note_links_due(store: Store, project: int, numbers: Sequence[int], stamp: str, due: int) -> None:
    """Note that the links *numbers*, changed at *stamp*, are *due*."""
    for number in numbers:
        store.execute(
            "INSERT INTO team_pending (project_id, field, number, stamp, due) VALUES (?, 'link', ?, ?, ?)"
            " ON CONFLICT (project_id, field, number) DO UPDATE SET stamp = excluded.stamp, due = excluded.due"
            " WHERE stamp = ''",
            (project, number, stamp, due),
        )


def end_holds(store: Store, project: int, now_ms: int) -> None:
    """End all holds, and retry after problems."""
    store.execute(
        "UPDATE team_pending SET due = min(due, ?), problem = '' WHERE project_id = ? AND stamp != ''",
        (now_ms, project),
    )


def set_problem(store: Store, project: int, pending: Pending, problem: str) -> None:
    """Note why *pending* is not sent; empty: retry."""
    store.execute(
        "UPDATE team_pending SET problem = ? WHERE project_id = ? AND field = ? AND number = ?",
        (problem, project, pending.field, pending.number),
    )


def settle_pending(store: Store, project: int, pending: Pending) -> None:
    """Forget *pending*, which was sent or need not be."""
    store.execute(
        "DELETE FROM team_pending WHERE project_id = ? AND field = ? AND number = ?",
        (project, pending.field, pending.number),
    )


class Counts(NamedTuple):
    """A project's unsent changes."""

    held: int
    """Changes of memories waiting for the end of their hold."""
    problems: int
    """Changes of memories held back."""


def counts_of(store: Store, project: int) -> Counts:
    """Count the unsent changes of *project*."""
    return store.records(
        Counts,
        "SELECT coalesce(sum(problem = ''), 0), coalesce(sum(problem != ''), 0) FROM team_pending"
        " WHERE project_id = ? AND field = 'memory'",
        (project,),
    )[0]
