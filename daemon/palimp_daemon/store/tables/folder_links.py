"""SQL of `first_commits`, `links` and `linked_rows`: the repository in a folder.

A *clone* lends its rows to another project until unlinked. If a folder gets another repository, its row is set aside
under a name that is no path (*held*), until the user says *other* or *same*. No row is deleted.
"""

from collections.abc import Collection, Iterable
from typing import Final, Literal, NamedTuple

from palimp_daemon.store.store import Store, ensure_project
from palimp_daemon.store.tables.memory_links import repoint_across
from palimp_daemon.store.tables.project_rows import ASIDE, HELD
from palimp_daemon.store.tables.removed_code.change_rows import move_hunks
from palimp_daemon.store.tables.team_keys import join_shared
from palimp_daemon.store.tables.vector_rows import KnownVectors
from palimp_protocol.messages.caller import Caller, ProjectRef

State = Literal["clone", "held", "other", "same"]

NEWEST_COMMITS: Final = 20
"""Commits read last; one identifies a repository."""


class Link(NamedTuple):
    """A folder linked with a project besides its own row."""

    id: int
    root: str
    state: State
    project: int
    own: int | None


class SetAsideProject(NamedTuple):
    """A project set aside, with commits and number of memories."""

    link: Link
    commits: frozenset[str]
    memories: int


class FolderState(NamedTuple):
    """A folder's project, its repository's commits, and projects set aside."""

    project: int | None
    commits: frozenset[str]
    first: frozenset[str]
    held: list[SetAsideProject]


# --- first commits -------------------------------------------------------------------------------


def first_commits_of(store: Store, project: int) -> frozenset[str]:
    """Return the known first commits of a project."""
    found = store.rows("SELECT sha FROM first_commits WHERE project_id = ?", (project,))
    return frozenset(sha for (sha,) in found)


def note_first_commits(store: Store, project: int, commits: Iterable[str]) -> None:
    """Remember first commits of a project."""
    for sha in commits:
        store.insert("first_commits", (project, sha), or_="IGNORE")


def _commits_of(store: Store, project: int) -> frozenset[str]:
    newest = store.rows(
        "SELECT commit_sha FROM changes WHERE project_id = ? AND commit_sha != '' ORDER BY at DESC LIMIT ?",
        (project, NEWEST_COMMITS),
    )
    read = store.rows("SELECT newest FROM imports WHERE project_id = ?", (project,))
    return first_commits_of(store, project) | {sha for (sha,) in (*newest, *read) if sha}


def _memories(store: Store, project: int) -> int:
    return store.value(
        "SELECT count(*) FROM memories WHERE project_id = ? AND deleted_at IS NULL AND superseded_by IS NULL",
        (project,),
    )


# --- what is known of a folder ---------------------------------------------------------------------


def state_of_folder(store: Store, root: str) -> FolderState:
    """Return the state of a folder."""
    project: int | None = store.value("SELECT id FROM projects WHERE root = ?", (root,))
    held = [
        SetAsideProject(link, _commits_of(store, link.project), _memories(store, link.project))
        for link in links_of(store, root)
        if link.state in ("held", "other")
    ]
    if project is None:
        return FolderState(None, frozenset(), frozenset(), held)
    return FolderState(project, _commits_of(store, project), first_commits_of(store, project), held)


def links_of(store: Store, root: str) -> list[Link]:
    """Return a folder's links, newest first."""
    return store.records(
        Link, "SELECT id, root, state, project_id, own_id FROM links WHERE root = ? ORDER BY id DESC", (root,)
    )


def clone_roots(store: Store) -> dict[str, str]:
    """Return the original's folder by each clone's."""
    return dict(
        store.rows("SELECT l.root, p.root FROM links l JOIN projects p ON p.id = l.project_id WHERE l.state = 'clone'")
    )


def projects_with_commits(store: Store, limit: int) -> dict[int, frozenset[str]]:
    """Return the known first commits of projects."""
    found = store.rows(
        "SELECT f.project_id, f.sha FROM first_commits f"
        " WHERE f.project_id IN (SELECT id FROM projects WHERE substr(root, 1, 1) = '/' ORDER BY id DESC LIMIT ?)",
        (limit,),
    )
    commits: dict[int, set[str]] = {}
    for project, sha in found:
        commits.setdefault(project, set()).add(sha)
    return {project: frozenset(shas) for project, shas in commits.items()}


# --- another repository at the same path -------------------------------------------------------------


def set_aside(store: Store, root: str, now_ms: int) -> int:
    """Set the folder's project aside for another repository's; return the link's id."""
    project: int = store.value("SELECT id FROM projects WHERE root = ?", (root,))
    store.execute("INSERT INTO links (root, state, project_id, at) VALUES (?, 'held', ?, ?)", (root, project, now_ms))
    link_id = store.connection.last_insert_rowid()
    _move(store, project, root, held_root(project, root))
    store.first_commits.pop(root, None)  # those of the repository that was there
    return link_id


def restore_held(store: Store, held: Link, now_ms: int) -> None:
    """Restore the project set aside; set the present one aside."""
    if store.value("SELECT id FROM projects WHERE root = ?", (held.root,)) is not None:
        present = set_aside(store, held.root, now_ms)
        store.execute("UPDATE links SET state = 'other' WHERE id = ?", (present,))
    store.execute("DELETE FROM links WHERE id = ?", (held.id,))
    _move(store, held.project, held_root(held.project, held.root), held.root)


def merge_held_project(store: Store, held: Link, present: ProjectRef, commits: Collection[str], now_ms: int) -> None:
    """Restore the project set aside, merged with the present one."""
    own = ensure_project(store, Caller(present), now_ms)
    store.execute(
        f"INSERT INTO linked_rows SELECT ?, 'document', id FROM doc_versions WHERE {_BELOW}",
        (held.id, *_below(held.root)),
    )
    lend_rows(store, held.id, own, held.project)
    store.execute("UPDATE projects SET root = ? || id WHERE id = ?", (ASIDE, own))
    note_first_commits(store, own, commits)
    _move(store, held.project, held_root(held.project, held.root), held.root)
    if not commits:  # its history begins anew: the next first commit is another one
        store.execute("DELETE FROM first_commits WHERE project_id = ?", (held.project,))
    note_first_commits(store, held.project, [*commits, *first_commits_of(store, own)])
    store.execute("UPDATE links SET state = 'same', own_id = ? WHERE id = ?", (own, held.id))


def keep_held_apart(store: Store, link: Link) -> None:
    """Leave the project set aside, also if it was declared the same."""
    if link.state == "same" and link.own is not None:
        _move(store, link.project, link.root, held_root(link.project, link.root))
        store.execute("UPDATE projects SET root = ? WHERE id = ?", (link.root, link.own))
        aside = held_root(link.project, link.root)
        store.execute(
            "UPDATE doc_versions SET tree = ? || substr(tree, ?) WHERE id IN"
            " (SELECT row_id FROM linked_rows WHERE link_id = ? AND kind = 'document')",
            (link.root, len(aside) + 1, link.id),
        )
        store.execute(
            "DELETE FROM first_commits WHERE project_id = ?"
            " AND sha IN (SELECT sha FROM first_commits WHERE project_id = ?)",
            (link.project, link.own),
        )
        return_rows(store, link.id, link.project, link.own)
    store.execute("UPDATE links SET state = 'other', own_id = NULL WHERE id = ?", (link.id,))


def held_root(project: int, root: str) -> str:
    """Return the root of a project set aside from *root*."""
    return f"{HELD}{project}{root}"


def _move(store: Store, project: int, old: str, new: str) -> None:
    store.execute("UPDATE projects SET root = ? WHERE id = ?", (new, project))
    store.execute(
        f"UPDATE doc_versions SET tree = ? || substr(tree, ?) WHERE {_BELOW}", (new, len(old) + 1, *_below(old))
    )
    _forget(store)


_BELOW: Final = "(tree = ? OR substr(tree, 1, ?) = ?)"


def _below(folder: str) -> tuple[str, int, str]:
    return folder, len(folder) + 1, f"{folder}/"


# --- a second clone ----------------------------------------------------------------------------------


def link_clone(store: Store, present: ProjectRef, other: int, now_ms: int) -> None:
    """Join *present*, a second clone, with the project *other*."""
    own = ensure_project(store, Caller(present), now_ms)
    store.execute(
        "INSERT INTO links (root, state, project_id, own_id, at) VALUES (?, 'clone', ?, ?, ?)",
        (present.root, other, own, now_ms),
    )
    link = store.connection.last_insert_rowid()
    join_shared(store, own, other)
    lend_rows(store, link, own, other)


def unlink_clone(store: Store, clone: Link) -> int:
    """Make a clone its own project again; return how many memories it regains."""
    count: int = store.value("SELECT count(*) FROM linked_rows WHERE link_id = ? AND kind = 'memory'", (clone.id,))
    if clone.own is not None:
        return_rows(store, clone.id, clone.project, clone.own)
    store.execute("DELETE FROM links WHERE id = ?", (clone.id,))
    _forget(store)
    return count


# --- lending and returning rows --------------------------------------------------------------------------


def lend_rows(store: Store, link_id: int, own: int, other: int) -> None:
    """Give rows of *own* to *other* and record them; those of commits are read again."""
    for kind, table, key in (("memory", "memories", "seq"), ("act", "acts", "id")):
        store.execute(
            f"INSERT INTO linked_rows SELECT ?, ?, {key} FROM {table} WHERE project_id = ?", (link_id, kind, own)
        )
    store.execute(
        "INSERT INTO linked_rows SELECT ?, 'change', id FROM changes WHERE project_id = ? AND commit_sha = ''",
        (link_id, own),
    )
    for table, rest in (("captured", "hash"), ("imported", "origin, seq")):  # what is known is known in both
        store.execute(f"INSERT OR IGNORE INTO {table} SELECT ?, {rest} FROM {table} WHERE project_id = ?", (other, own))
    _move_rows(store, link_id, own, other)


def return_rows(store: Store, link_id: int, other: int, own: int) -> None:
    """Return the lent rows that still exist to *own*."""
    _move_rows(store, link_id, other, own)
    store.execute("DELETE FROM linked_rows WHERE link_id = ?", (link_id,))


def _move_rows(store: Store, link_id: int, giver: int, taker: int) -> None:
    changes = _noted_rows(store, link_id, "change", "changes", "id", giver)
    hunks = store.rows(
        "SELECT h.id, p.path, h.state, h.gone FROM hunks h JOIN paths p ON p.id = h.path_id"
        " WHERE h.change_id IN (SELECT row_id FROM linked_rows WHERE link_id = ? AND kind = 'change')"
        " AND p.project_id = ?",
        (link_id, giver),
    )
    move_hunks(store, hunks, giver, taker)
    memories = _noted_rows(store, link_id, "memory", "memories", "seq", giver)
    acts = _noted_rows(store, link_id, "act", "acts", "id", giver)
    for table, key, numbers in (("changes", "id", changes), ("memories", "seq", memories), ("acts", "id", acts)):
        sessions = _sessions(store, [session for _, session in numbers if session is not None], taker)
        for number, session in numbers:
            store.execute(
                f"UPDATE {table} SET project_id = ?, session_id = ? WHERE {key} = ?",
                (taker, sessions.get(session), number),
            )
    repoint_across(store, [seq for seq, _ in memories])
    _forget(store)


def _noted_rows(
    store: Store, link_id: int, kind: str, table: str, key: str, project: int
) -> list[tuple[int, int | None]]:
    return store.rows(
        f"SELECT {key}, session_id FROM {table} WHERE project_id = ? AND {key} IN"
        " (SELECT row_id FROM linked_rows WHERE link_id = ? AND kind = ?)",
        (project, link_id, kind),
    )


def _sessions(store: Store, sessions: Iterable[int], project: int) -> dict[int | None, int | None]:
    found: dict[int | None, int | None] = {None: None}
    for session in set(sessions):
        store.execute(
            "INSERT OR IGNORE INTO sessions (key, project_id, client, started_at, seen_at, ended_at)"
            " SELECT key, ?, client, started_at, seen_at, ended_at FROM sessions WHERE id = ?",
            (project, session),
        )
        found[session] = store.value(
            "SELECT id FROM sessions WHERE project_id = ? AND key = (SELECT key FROM sessions WHERE id = ?)",
            (project, session),
        )
    return found


def _forget(store: Store) -> None:
    store.forget()
    store.state(KnownVectors).of_kind.clear()  # which know the projects of vectors
