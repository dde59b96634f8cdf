"""SQL of `failed_commands`: failed shell lines, and working successors."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_daemon.store.store import Store

KEPT_MAX: Final = 200
"""Per project, the newest."""

KEPT_MS: Final = 180 * 86_400_000
"""Milliseconds: half a year, as programs change."""

READ_MAX: Final = 8
"""Per name, the newest."""


class FailedCommand(NamedTuple):
    """A line that failed, and one that worked then."""

    id: int
    name: str
    command: str
    error: str
    worked: str
    at: int
    session_id: int | None


def keep_failure(store: Store, project: int, failure: FailedCommand) -> None:
    """Store *failure* (not its id) instead of the same line's; drop the oldest."""
    _, name, command, error, worked, at, session = failure
    store.execute(
        "DELETE FROM failed_commands WHERE project_id = ? AND name = ? AND command = ?", (project, name, command)
    )
    store.insert(
        "failed_commands (project_id, session_id, name, command, error, worked, at)",
        (project, session, name, command, error, worked, at),
    )
    store.execute(
        "DELETE FROM failed_commands WHERE project_id = ? AND (at < ? OR id <="
        " (SELECT id FROM failed_commands WHERE project_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?))",
        (project, at - KEPT_MS, project, KEPT_MAX),
    )


def failures_named(store: Store, project: int, names: Sequence[str], since_ms: int) -> list[FailedCommand]:
    """Return failures since *since_ms* with one of *names*, newest first."""
    found = [
        FailedCommand(*row)
        for name in names
        for row in store.rows(
            "SELECT id, name, command, error, worked, at, session_id FROM failed_commands"
            " WHERE project_id = ? AND name = ? AND at >= ? ORDER BY id DESC LIMIT ?",
            (project, name, since_ms, READ_MAX),
        )
    ]
    return sorted(found, key=lambda each: -each.id)


def failures_of(store: Store, session: int, limit: int) -> list[FailedCommand]:
    """Return the session's last failures, newest first."""
    return store.records(
        FailedCommand,
        "SELECT id, name, command, error, worked, at, session_id FROM failed_commands WHERE session_id = ?"
        " ORDER BY id DESC LIMIT ?",
        (session, limit),
    )


def forget_failures(store: Store, ids: Sequence[int]) -> None:
    """Forget the failures *ids*, which work now."""
    store.connection.executemany("DELETE FROM failed_commands WHERE id = ?", [(each,) for each in ids])


def erase_failures(store: Store, project: int, session: str, containing: str) -> int:
    """Delete all failures of *session* (a key), else *project*'s with *containing*; return how many."""
    if session:  # whose project may be a folder that is gone
        part, values = "session_id IN (SELECT id FROM sessions WHERE key = ?)", (session,)
    else:
        has_text = "instr(command || char(10) || error || char(10) || worked, ?)"
        part, values = f"project_id = ? AND (? = '' OR {has_text})", (project, containing, containing)
    store.execute(f"DELETE FROM failed_commands WHERE {part}", values)
    return store.connection.changes()


def failures_told(store: Store, session: int) -> set[int]:
    """Return the failures that the session was told of."""
    return {*store.column("SELECT failure_id FROM failures_told WHERE session_id = ?", (session,))}


def note_failure_told(store: Store, session: int, failure: int, now_ms: int) -> None:
    """Remember that the session was told of *failure*."""
    store.execute(
        "INSERT OR IGNORE INTO failures_told (session_id, failure_id, at)"
        " SELECT ?, id, ? FROM failed_commands WHERE id = ?",
        (session, now_ms, failure),
    )
