"""SQL of `projects`."""

from typing import NamedTuple

from palimp_daemon.store.store import GLOBAL_PROJECT, Store
from palimp_protocol.messages.caller import ProjectRef


class ProjectRow(NamedTuple):
    """A project and its extent."""

    id: int
    root: str
    name: str
    memories: int
    """Those neither purged nor superseded."""
    removed: int
    """Hunks."""
    sessions: int
    last_at: int | None
    """When something was last saved or removed, in Unix milliseconds."""
    newest_commit: str
    """The newest read of its history, or a first one; empty: none is known."""


_PROJECT = (
    "SELECT p.id, p.root, p.name,"
    " (SELECT count(*) FROM memories WHERE project_id = p.id AND deleted_at IS NULL AND superseded_by IS NULL),"
    " (SELECT count(*) FROM paths f JOIN hunks h ON h.path_id = f.id WHERE f.project_id = p.id),"
    " coalesce(s.sessions, 0),"
    " nullif(max(coalesce((SELECT max(created_at) FROM memories WHERE project_id = p.id), 0),"
    " coalesce((SELECT max(at) FROM changes WHERE project_id = p.id), 0)), 0) AS last_at,"
    " coalesce((SELECT nullif(newest, '') FROM imports WHERE project_id = p.id),"
    " (SELECT min(sha) FROM first_commits WHERE project_id = p.id), '')"
    " FROM projects p"
    " LEFT JOIN (SELECT project_id, count(*) AS sessions FROM sessions GROUP BY project_id) s ON s.project_id = p.id"
)
LEFT = "palimp:left/"
"""Prefix of the root of a project being deleted."""

HELD = "palimp:before/"
"""Prefix of the root of a project whose folder now holds another repository (`links`); its number and path follow."""

ASIDE = "palimp:aside/"
"""Prefix of the root of a project whose rows are another's while they are linked."""

_IS_KNOWN = (
    f"p.id != {GLOBAL_PROJECT} AND substr(p.root, 1, {len(LEFT)}) != '{LEFT}'"
    f" AND substr(p.root, 1, {len(ASIDE)}) != '{ASIDE}'"
    " AND (EXISTS (SELECT 1 FROM memories WHERE project_id = p.id)"
    " OR EXISTS (SELECT 1 FROM changes WHERE project_id = p.id))"
)


def projects_named(store: Store, name: str, limit: int) -> list[ProjectRef]:
    """Return projects called *name* (empty: any) with memories or changes."""
    found = store.rows(
        f"SELECT root, name FROM projects p WHERE (? IN ('', name)) AND substr(root, 1, 1) = '/' AND {_IS_KNOWN}"
        " ORDER BY root LIMIT ?",
        (name, limit),
    )
    return [ProjectRef(root, called) for root, called in found]


def known_projects(store: Store, limit: int) -> tuple[list[ProjectRow], int]:
    """Return projects, last active first, and the number of all."""
    total: int = store.value(f"SELECT count(*) FROM projects p WHERE {_IS_KNOWN}")
    found = store.rows(f"{_PROJECT} WHERE {_IS_KNOWN} ORDER BY last_at DESC, p.id DESC LIMIT ?", (limit,))
    return [ProjectRow(*row) for row in found], total


def left_projects(store: Store) -> list[int]:
    """Return the projects to be deleted."""
    return store.column("SELECT id FROM projects WHERE substr(root, 1, ?) = ?", (len(LEFT), LEFT))


def project_at(store: Store, root: str) -> ProjectRow | None:
    """Return the project of the folder *root*; None if unknown."""
    return store.record(ProjectRow, f"{_PROJECT} WHERE p.root = ? AND {_IS_KNOWN}", (root,))
