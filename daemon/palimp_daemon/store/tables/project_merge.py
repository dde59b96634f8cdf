"""Join a moved folder's project with the present one.

The former row, with most data, gets the present root and rows; the caller deletes the other.
"""

from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memory_links import repoint_across
from palimp_daemon.store.tables.project_rows import LEFT
from palimp_daemon.store.tables.removed_code.change_rows import move_hunks
from palimp_daemon.store.tables.sessions.given import join_given
from palimp_daemon.store.tables.sessions.usage_counts import join_usage
from palimp_daemon.store.tables.team_keys import join_shared, keep_key
from palimp_daemon.store.tables.team_tables import unshare_project
from palimp_daemon.store.tables.vector_rows import KnownVectors
from palimp_protocol.messages.caller import ProjectRef


def join(store: Store, former: int, present: ProjectRef) -> None:
    """Give *former* the root and rows of *present*, perhaps left for `delete_left`."""
    left: int | None = store.value("SELECT id FROM projects WHERE root = ?", (present.root,))
    former_root: str = store.value("SELECT root FROM projects WHERE id = ?", (former,))
    if left is not None:
        join_shared(store, left, former)
        _join_sessions(store, left, former)
        _join_changes(store, left, former)
        join_usage(store, left, former)
        moved = store.column("SELECT seq FROM memories WHERE project_id = ?", (left,))
        for table in ("memories", "acts"):
            store.execute(f"UPDATE {table} SET project_id = ? WHERE project_id = ?", (former, left))
        repoint_across(store, moved)
        for table in ("captured", "imported", "digests"):
            store.execute(f"UPDATE OR IGNORE {table} SET project_id = ? WHERE project_id = ?", (former, left))
            store.execute(f"DELETE FROM {table} WHERE project_id = ?", (left,))
        store.execute("UPDATE OR IGNORE first_commits SET project_id = ? WHERE project_id = ?", (former, left))
        store.execute("UPDATE links SET project_id = ? WHERE project_id = ?", (former, left))
        store.execute("UPDATE links SET own_id = NULL WHERE own_id = ?", (left,))
        store.execute("UPDATE projects SET root = ? || id WHERE id = ?", (LEFT, left))
    # It may have been set aside; it is no more.
    store.execute("DELETE FROM links WHERE project_id = ? AND state IN ('held', 'other')", (former,))
    store.execute("UPDATE projects SET root = ?, name = ? WHERE id = ?", (present.root, present.name, former))
    # The versions of documents are those of a tree: of the former folder itself, or of one in it.
    store.execute(
        "UPDATE doc_versions SET tree = ? || substr(tree, ?) WHERE tree = ? OR substr(tree, 1, ?) = ?",
        (present.root, len(former_root) + 1, former_root, len(former_root) + 1, f"{former_root}/"),
    )
    store.forget()
    store.state(KnownVectors).of_kind.clear()  # which know the projects of vectors


def delete_left(store: Store, left: int) -> None:
    """Delete the project *left*, which must have no hunks."""
    for table in ("imports", "changes", "paths", "first_commits"):
        store.execute(f"DELETE FROM {table} WHERE project_id = ?", (left,))
    if not keep_key(store, left):
        unshare_project(store, left)
        store.execute("DELETE FROM projects WHERE id = ?", (left,))
    store.forget()


def _join_sessions(store: Store, left: int, former: int) -> None:
    twice = store.rows(
        "SELECT one.id, other.id FROM sessions one JOIN sessions other ON other.key = one.key AND other.project_id = ?"
        " WHERE one.project_id = ?",
        (former, left),
    )
    for one, other in twice:
        for table in ("memories", "changes", "acts"):
            store.execute(f"UPDATE {table} SET session_id = ? WHERE session_id = ?", (other, one))
        # Has the index told what was said before each memory: that is of its session.
        store.execute("UPDATE memories SET tags = tags WHERE session_id = ?", (other,))
        join_given(store, one, other)
        store.execute("DELETE FROM sessions WHERE id = ?", (one,))
    store.execute("UPDATE sessions SET project_id = ? WHERE project_id = ?", (former, left))


def _join_changes(store: Store, left: int, former: int) -> None:
    hunks = store.rows(
        "SELECT h.id, p.path, h.state, h.gone FROM hunks h JOIN paths p ON p.id = h.path_id"
        " WHERE p.project_id = ? AND h.change_id IN (SELECT id FROM changes WHERE project_id = ? AND commit_sha = '')",
        (left, left),
    )
    move_hunks(store, hunks, left, former)
    store.execute("UPDATE changes SET project_id = ? WHERE project_id = ? AND commit_sha = ''", (former, left))
