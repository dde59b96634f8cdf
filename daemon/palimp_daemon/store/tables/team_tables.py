"""SQL of `team` and `team_projects`: this machine's team and shared projects."""

from typing import Final, NamedTuple

from palimp_daemon.store.store import Store

KEPT: Final = "palimp:team/"
"""Prefix of the root of a row in `projects` for a key alone."""


class TeamRow(NamedTuple):
    """The team, and this replica."""

    id: str
    place: str
    replica: str
    name: str


class SharedProject(NamedTuple):
    """A shared project by one of its keys (`team_keys`)."""

    project: int
    """Row of `projects` with that key's log."""
    key: str
    """Its name on every replica, in hex."""
    root: str
    name: str
    shared_at: int
    home: int
    """Row of `projects` with its memories and their data."""
    is_main: bool
    """Whether new operations are sent under this key."""


def team_of(store: Store) -> TeamRow | None:
    """Return the team."""
    return store.record(TeamRow, "SELECT id, place, replica, name FROM team")


def join_team(store: Store, team: TeamRow) -> None:
    """Store this machine's *team*."""
    store.execute(
        "INSERT INTO team (one, id, place, replica, name) VALUES (1, ?, ?, ?, ?)"
        " ON CONFLICT (one) DO UPDATE SET place = excluded.place, name = excluded.name WHERE id = excluded.id",
        team,
    )


def leave_team(store: Store) -> None:
    """Forget the team and the exchange; memories stay."""
    for table in ("team_projects", "team_authors", "team_replicas", "team_trusted", "team"):
        store.execute(f"DELETE FROM {table}")
    _forget_kept(store)


def become(store: Store, replica: str) -> None:
    """Set this machine's replica id."""
    store.execute("UPDATE team SET replica = ?", (replica,))


def last_stamp(store: Store) -> str:
    """Return the last stamp given or seen; empty for none."""
    return store.value("SELECT stamp FROM team") or ""


def set_last_stamp(store: Store, stamp: str) -> None:
    """Note *stamp*, given or seen, if it is the latest."""
    store.execute("UPDATE team SET stamp = ?1 WHERE stamp < ?1", (stamp,))


_SHARED: Final = (
    "SELECT t.project_id, t.key, p.root, p.name, t.shared_at, t.home, NOT EXISTS (SELECT 1 FROM team_projects o"
    " WHERE o.home = t.home AND (o.is_told = 0, o.stamp, o.key) > (t.is_told = 0, t.stamp, t.key))"
    " FROM team_projects t JOIN projects p ON p.id = t.home"
)


def shared_projects(store: Store) -> list[SharedProject]:
    """Return the shared projects, by each key."""
    return store.records(SharedProject, f"{_SHARED} ORDER BY t.project_id")


def shared_project(store: Store, project: int) -> SharedProject | None:
    """Return the shared project with memories in *project*, by its current key."""
    found = store.records(SharedProject, f"{_SHARED} WHERE t.home = ?", (project,))
    return next((each for each in found if each.is_main), None)


def shared_log(store: Store, project: int) -> SharedProject | None:
    """Return the shared project by the key with *project*'s log."""
    return store.record(SharedProject, f"{_SHARED} WHERE t.project_id = ?", (project,))


def project_with_key(store: Store, key: str) -> SharedProject | None:
    """Return the shared project with *key*."""
    return store.record(SharedProject, f"{_SHARED} WHERE t.key = ?", (key,))


def share_project(store: Store, project: int, key: str, now_ms: int) -> None:
    """Share *project* as *key*; all its data becomes pending."""
    store.insert("team_projects (project_id, home, key, shared_at)", (project, project, key, now_ms))
    store.execute(
        "INSERT OR REPLACE INTO team_pending (project_id, field, number)"
        " SELECT project_id, 'memory', seq FROM memories WHERE project_id = ?",
        (project,),
    )
    store.execute(
        "INSERT OR REPLACE INTO team_pending (project_id, field, number) SELECT m.project_id, 'link', l.id"
        " FROM memories m JOIN memory_links l ON l.newer = m.seq"
        " WHERE m.project_id = ? AND l.said_by != 'inferred' AND l.undone_at IS NULL",
        (project,),
    )


def unshare_project(store: Store, project: int) -> None:
    """Forget the exchange of *project*; its memories stay."""
    store.execute("DELETE FROM team_authors WHERE seq IN (SELECT seq FROM memories WHERE project_id = ?)", (project,))
    store.execute("DELETE FROM team_projects WHERE home = ?", (project,))
    _forget_kept(store)


def _forget_kept(store: Store) -> None:
    store.execute(
        "DELETE FROM projects WHERE substr(root, 1, ?) = ? AND id NOT IN (SELECT project_id FROM team_projects)",
        (len(KEPT), KEPT),
    )
