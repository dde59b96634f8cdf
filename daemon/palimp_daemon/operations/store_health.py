"""The store's part of `health`: what is in the database and how large it is."""

import shutil
from pathlib import Path
from typing import Final

import apsw

from palimp_daemon.operations.desk import Desk
from palimp_daemon.sql import rows, value
from palimp_daemon.store.connection import schema_version
from palimp_protocol.operations import KindCount, ProjectCount, StoreHealth

_BY_PROJECT: Final = (
    "SELECT p.root, p.name, count(*) AS times FROM memories m JOIN projects p ON p.id = m.project_id"
    " WHERE m.deleted_at IS NULL GROUP BY p.id ORDER BY times DESC, p.root LIMIT 20"
)


def store_health(desk: Desk) -> StoreHealth:
    """Return counts and sizes of the database."""
    db, path = desk.store.connection, desk.store.path
    kinds = rows(db, "SELECT kind, count(*) FROM memories WHERE deleted_at IS NULL GROUP BY kind ORDER BY 2 DESC, 1")
    counts = [KindCount(kind, count) for kind, count in kinds]
    purged, last = rows(db, "SELECT count(deleted_at), max(created_at) FROM memories")[0]
    projects = value(db, "SELECT count(DISTINCT project_id) FROM memories")
    removed = rows(db, "SELECT count(*), coalesce(sum(length(packed)), 0) FROM hunks")[0]
    return StoreHealth(
        path=str(path),
        schema=schema_version(db),
        engine=desk.store.engine.name,
        sqlite=apsw.sqlite_lib_version(),
        memories=sum(entry.count for entry in counts),
        purged=purged,
        projects=projects,
        kinds=counts,
        by_project=[ProjectCount(*row) for row in rows(db, _BY_PROJECT)],
        last_saved_at=last,
        database_bytes=_size(path),
        wal_bytes=_size(path.with_name(path.name + "-wal")),
        disk_free_bytes=shutil.disk_usage(path.parent).free,
        removed_hunks=removed[0],
        removed_bytes=removed[1],
        counters=dict(rows(db, "SELECT name, value FROM counters ORDER BY name")),
    )


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
