"""SQL of digests: saved memories and busy files in a span of time, and the last digest."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_daemon.search.engine import Filter
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memory_rows import Row, Selection, newest, unmarked_condition

CHANGES_MAX: Final = 2_000
"""Changes whose files are counted, newest first."""


class Span(NamedTuple):
    """A project's span of time, in Unix milliseconds."""

    project: int
    since_ms: int
    until_ms: int


class LastDigest(NamedTuple):
    """Time and newest memory of a project's last digest."""

    at: int
    seq: int


class Since(NamedTuple):
    """Counts since a digest."""

    new: int
    purged: int
    replaced: int


def memories_in(store: Store, span: Span, kinds: Sequence[str], limit: int) -> tuple[list[Row], int]:
    """Return the newest memories in force of *span*, and the number of all."""
    alive = Filter(
        "m.created_at >= ? AND m.created_at < ? AND m.deleted_at IS NULL AND m.superseded_by IS NULL",
        (span.since_ms, span.until_ms),
    )
    return newest(store, Selection([span.project], kinds, alive, ["proposals"]), limit)


def count_in(store: Store, span: Span) -> int:
    """Count the memories of *span*, superseded ones excluded."""
    return store.value(
        "SELECT count(*) FROM memories m WHERE project_id = ? AND created_at >= ? AND created_at < ?"
        f" AND deleted_at IS NULL AND superseded_by IS NULL AND {unmarked_condition('proposals')}",
        span,
    )


def busy_files(store: Store, span: Span, limit: int) -> list[tuple[str, int]]:
    """Return the files with most code-removing changes, and their number."""
    return store.rows(
        "SELECT p.path, count(DISTINCT c.id) AS times FROM (SELECT id FROM changes WHERE project_id = ? AND at >= ?"
        f" AND at < ? ORDER BY at DESC LIMIT {CHANGES_MAX}) c JOIN hunks h ON h.change_id = c.id"
        " JOIN paths p ON p.id = h.path_id GROUP BY p.id ORDER BY times DESC, p.path LIMIT ?",
        (*span, limit),
    )


def last_digest(store: Store, project: int) -> LastDigest | None:
    """Return the last digest."""
    return store.record(LastDigest, "SELECT at, seq FROM digests WHERE project_id = ?", (project,))


def since_digest(store: Store, project: int, last: LastDigest) -> Since:
    """Count the events since the *last* digest."""
    return store.records(
        Since,
        "SELECT (SELECT count(*) FROM memories WHERE project_id = ?1 AND seq > ?2 AND deleted_at IS NULL),"
        " (SELECT count(*) FROM memories WHERE project_id = ?1 AND deleted_at > ?3),"
        " (SELECT count(DISTINCT l.older) FROM memory_links l JOIN memories m ON m.seq = l.older"
        " WHERE m.project_id = ?1 AND l.at > ?3 AND m.superseded_by IS NOT NULL)",
        (project, last.seq, last.at),
    )[0]


def note_digest(store: Store, project: int, seq: int, now_ms: int) -> None:
    """Remember a digest with its newest memory."""
    store.insert("digests (project_id, at, seq)", (project, now_ms, seq), or_="REPLACE")
