"""SQL of the keys of a shared project, several after a renaming or merge.

All have one *home* with the memories. All are read; operations are sent under the last named one.
"""

from typing import Final

from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.team_tables import KEPT, SharedProject, shared_projects

KEYS_MAX: Final = 32
"""Keys of one project, each read in every round; projects are seldom renamed."""


def keys_of(store: Store, home: int) -> list[SharedProject]:
    """Return the shared project *home* by each key."""
    return [each for each in shared_projects(store) if each.home == home]


def add_key(store: Store, home: int, key: str, now_ms: int) -> None:
    """Let *home* be read by *key*, too."""
    project = store.insert("projects (root, name, created_at)", (KEPT + key, "", now_ms))
    store.insert("team_projects (project_id, home, key, shared_at)", (project, home, key, now_ms))


def go_on_as(store: Store, key: str, stamp: str) -> None:
    """Make *key* current since *stamp*; empty: the others must be told."""
    if not stamp:  # who names two before they are told goes on under the last
        home = "(SELECT home FROM team_projects WHERE key = ?)"
        store.execute(f"UPDATE team_projects SET is_told = 1 WHERE home = {home}", (key,))
    store.execute("UPDATE team_projects SET is_told = (?2 != ''), stamp = max(stamp, ?2) WHERE key = ?1", (key, stamp))


def untold_key(store: Store, home: int) -> SharedProject | None:
    """Return the current key of *home*, if the others must be told."""
    found = store.value("SELECT key FROM team_projects WHERE home = ? AND NOT is_told", (home,))
    return next((each for each in keys_of(store, home) if each.key == found), None)


def join_shared(store: Store, left: int, home: int) -> None:
    """Add the keys of *left* to *home*, before its memories move there."""
    if left == home or not (keys_of(store, left) and keys_of(store, home)):
        return
    store.execute(
        "INSERT INTO team_registers (project_id, entity, field, stamp, value)"
        " SELECT ?2, entity, field, stamp, value FROM team_registers WHERE project_id = ?1"
        " ON CONFLICT (project_id, entity, field) DO UPDATE SET stamp = excluded.stamp, value = excluded.value"
        " WHERE excluded.stamp > team_registers.stamp",
        (left, home),
    )
    for table in ("team_erased", "team_pending"):
        store.execute(f"UPDATE OR IGNORE {table} SET project_id = ? WHERE project_id = ?", (home, left))
    for table in ("team_erased", "team_pending", "team_registers"):
        store.execute(f"DELETE FROM {table} WHERE project_id = ?", (left,))
    store.execute("UPDATE team_projects SET home = ? WHERE home = ?", (home, left))
    go_on_as(store, next(each.key for each in keys_of(store, home) if each.project == home), "")


def is_anothers_key(store: Store, project: int) -> bool:
    """Tell whether the row stands for another project's key, after merge and split."""
    statement = "SELECT EXISTS (SELECT 1 FROM team_projects WHERE project_id = ? AND home != project_id)"
    return bool(store.value(statement, (project,)))


def free_row(store: Store, project: int, now_ms: int) -> None:
    """Move another project's key from the row to one of its own."""
    if not is_anothers_key(store, project):
        return
    root = KEPT + store.value("SELECT key FROM team_projects WHERE project_id = ?", (project,))
    kept = store.insert("projects (root, name, created_at)", (root, "", now_ms))
    store.execute("PRAGMA defer_foreign_keys = ON")  # until this transaction's end
    for table in ("team_projects", "team_log", "team_heard", "team_parked"):
        store.execute(f"UPDATE {table} SET project_id = ? WHERE project_id = ?", (kept, project))


def keep_key(store: Store, left: int) -> bool:
    """Keep the row *left*, about to be deleted, if it stands for a key."""
    if not is_anothers_key(store, left):
        return False
    store.execute("UPDATE projects SET root = ? || id, name = '' WHERE id = ?", (KEPT, left))
    return True
