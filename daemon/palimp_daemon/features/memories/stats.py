"""The store's part of `health`."""

import shutil
from collections import Counter
from typing import Final

import apsw

from palimp_daemon.runtime.files import size_of
from palimp_daemon.runtime.sql import rows, value
from palimp_daemon.store.checks.rebuild import rebuilds
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.sqlite_connection import schema_version
from palimp_daemon.store.tables.erasures import pending_erasures
from palimp_protocol.messages.daemon_messages import KindCount, ProjectCount, StoreHealth

_PROJECTS: Final = "SELECT id, root, name FROM projects"

PROJECTS_SHOWN: Final = 20
"""Projects counted apart, the largest."""


def store_health(context: RequestContext) -> StoreHealth:
    """Return counts and sizes of the database."""
    db, path = context.store.connection, context.store.path
    # In the order of an index, so that no row is touched and nothing is sorted.
    counted: list[tuple[int, str, int, int, int]] = rows(
        db,
        "SELECT project_id, kind, count(*) - count(deleted_at), count(deleted_at),"
        " count(*) FILTER (WHERE deleted_at IS NULL AND superseded_by IS NULL)"
        " FROM memories INDEXED BY memories_by_kind GROUP BY project_id, kind",
    )
    kinds: Counter[str] = Counter()
    projects: Counter[int] = Counter()
    for project, kind, alive, *_ in counted:
        kinds[kind] += alive
        projects[project] += alive
    last = value(db, "SELECT max((SELECT max(created_at) FROM memories WHERE project_id = p.id)) FROM projects p")
    removed = rows(db, "SELECT count(*), coalesce(sum(length(packed)), 0) FROM hunks")[0]
    return StoreHealth(
        path=str(path),
        schema=schema_version(db),
        engine=context.store.engine.name,
        sqlite=apsw.sqlite_lib_version(),
        memories=kinds.total(),
        holding=sum(holding for *_, holding in counted),
        purged=sum(purged for *_, purged, _ in counted),
        projects=len(projects),
        kinds=[KindCount(kind, count) for kind, count in sorted(kinds.items(), key=_most_first) if count],
        by_project=_by_project(context, projects),
        last_saved_at=last,
        database_bytes=size_of(path),
        wal_bytes=size_of(path.with_name(path.name + "-wal")),
        disk_free_bytes=shutil.disk_usage(path.parent).free,
        removed_hunks=removed[0],
        removed_bytes=removed[1],
        counters=dict(rows(db, "SELECT name, value FROM counters WHERE instr(name, '.') = 0 ORDER BY name")),
        rebuilt=rebuilds(context.store),
        pending_erasures=pending_erasures(context.store),
    )


def _by_project(context: RequestContext, counts: Counter[int]) -> list[ProjectCount]:
    known = {number: (root, name) for number, root, name in rows(context.store.connection, _PROJECTS)}
    found = [ProjectCount(*known[number], count) for number, count in counts.items() if count]
    return sorted(found, key=lambda project: (-project.count, project.root))[:PROJECTS_SHOWN]


def _most_first(counted: tuple[str, int]) -> tuple[int, str]:
    name, count = counted
    return -count, name
