"""SQL of `imports`: progress of reading each project's git history."""

from typing import Final, NamedTuple

from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.removed_code.change_rows import Change, delete_change, insert_change

_KEPT_FROM: Final = "changes.kept_from.{}"
"""Key in `counters` of one project's setting; names with a dot count no events."""


class Progress(NamedTuple):
    """Commits from *newest* to *oldest* were read; empty *oldest*: no older ones are wanted."""

    newest: str
    oldest: str
    commits: int


def progress_of(store: Store, project: int) -> Progress | None:
    """Return the progress; None before the first reading."""
    return store.record(Progress, "SELECT newest, oldest, commits FROM imports WHERE project_id = ?", (project,))


def set_progress(store: Store, project: int, progress: Progress, now_ms: int) -> None:
    """Remember the progress."""
    store.insert("imports (project_id, newest, oldest, commits, at)", (project, *progress, now_ms), or_="REPLACE")


def kept_from(store: Store, project: int) -> int | None:
    """Return the Unix milliseconds from which changes are kept, if before the settings'."""
    return store.value("SELECT value FROM counters WHERE name = ?", (_KEPT_FROM.format(project),))


def keep_from(store: Store, project: int, since_ms: int) -> None:
    """Keep changes from *since_ms* on; read the history again."""
    store.insert("counters (name, value)", (_KEPT_FROM.format(project), since_ms), or_="REPLACE")
    store.execute("DELETE FROM imports WHERE project_id = ?", (project,))


def begin_commit(store: Store, project: int, change: Change) -> int | None:
    """Store a commit without hunks, not counted before `end_commit`; None if stored already."""
    known = store.rows(
        "SELECT id, is_pending FROM changes WHERE project_id = ? AND commit_sha = ?", (project, change.commit)
    )
    if known and not known[0][1]:
        return None
    if known:  # it was interrupted
        delete_change(store, known[0][0])
    return insert_change(store, project, change._replace(is_pending=True), [])


def end_commit(store: Store, number: int) -> None:
    """Let a commit count: all its hunks are stored."""
    store.execute("UPDATE changes SET is_pending = 0 WHERE id = ?", (number,))


def hunk_count(store: Store, project: int) -> int:
    """Count the hunks of *project*."""
    return store.value(
        "SELECT count(*) FROM hunks h JOIN changes c ON c.id = h.change_id WHERE c.project_id = ?", (project,)
    )
