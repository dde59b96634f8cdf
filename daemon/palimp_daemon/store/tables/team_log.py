"""SQL of `team_log`: this replica's operations."""

from collections.abc import Sequence
from typing import NamedTuple

from palimp_daemon.store.store import Store


class Logged(NamedTuple):
    """An operation of this replica."""

    counter: int
    body: bytes


def last_counter(store: Store, project: int, replica: str) -> int:
    """Return the last operation's counter; 0 for none."""
    return store.value(
        "SELECT coalesce(max(counter), 0) FROM team_log WHERE project_id = ? AND replica = ?", (project, replica)
    )


def log_operation(store: Store, project: int, replica: str, entity: str, logged: Logged) -> None:
    """Log an operation about the memory *entity*."""
    store.insert(
        "team_log (project_id, replica, counter, entity, body)", (project, replica, logged.counter, entity, logged.body)
    )


def logged_operations(store: Store, project: int, replica: str, after: int, limit: int) -> list[Logged]:
    """Return operations after the counter *after*."""
    return store.records(
        Logged,
        "SELECT counter, body FROM team_log WHERE project_id = ? AND replica = ? AND counter > ? ORDER BY counter"
        " LIMIT ?",
        (project, replica, after, limit),
    )


def logged_about(store: Store, project: int, entity: str) -> list[tuple[str, Logged]]:
    """Return (replica, operation) about the memory *entity*."""
    found = store.rows(
        "SELECT replica, counter, body FROM team_log WHERE project_id = ? AND entity = ?", (project, entity)
    )
    return [(replica, Logged(counter, body)) for replica, counter, body in found]


def clear_logged(store: Store, project: int, replica: str, logged: Logged) -> None:
    """Replace an operation that must be cleared where sent."""
    store.execute(
        "UPDATE team_log SET body = ?, is_cleared = 1 WHERE project_id = ? AND replica = ? AND counter = ?",
        (logged.body, project, replica, logged.counter),
    )


def replace_logged(store: Store, project: int, replica: str, logged: Logged) -> None:
    """Replace an operation that was not sent."""
    store.execute(
        "UPDATE team_log SET body = ? WHERE project_id = ? AND replica = ? AND counter = ?",
        (logged.body, project, replica, logged.counter),
    )


def operations_to_clear(store: Store, project: int) -> list[tuple[str, Logged]]:
    """Return (replica, operation) still to be cleared where sent."""
    found = store.rows("SELECT replica, counter, body FROM team_log WHERE project_id = ? AND is_cleared", (project,))
    return [(replica, Logged(counter, body)) for replica, counter, body in found]


def settle_cleared(store: Store, project: int, replica: str, counters: Sequence[int]) -> None:
    """Note that operations are cleared where sent."""
    for counter in counters:
        store.execute(
            "UPDATE team_log SET is_cleared = 0 WHERE project_id = ? AND replica = ? AND counter = ?",
            (project, replica, counter),
        )


def forget_logged(store: Store, project: int, replica: str, start: int) -> list[tuple[str, bytes]]:
    """Remove the operations from *start* on; return (memory's id, operation) of each."""
    found = store.rows(
        "SELECT entity, body FROM team_log WHERE project_id = ? AND replica = ? AND counter >= ? ORDER BY counter",
        (project, replica, start),
    )
    store.execute(
        "DELETE FROM team_log WHERE project_id = ? AND replica = ? AND counter >= ?", (project, replica, start)
    )
    return found


def erasures_logged(store: Store, project: int, replica: str) -> list[int]:
    """Return the counters of operations that erase a memory."""
    return store.column(
        "SELECT counter FROM team_log WHERE project_id = ? AND replica = ?"
        " AND entity IN (SELECT e.memory_id FROM team_erased e JOIN team_projects p ON p.home = e.project_id"
        " WHERE p.project_id = team_log.project_id)"
        ' AND instr(CAST(body AS TEXT), \'"kind":"erase"\')',
        (project, replica),
    )
