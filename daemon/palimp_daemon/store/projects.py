"""SQL of the table `projects`: finding projects by name."""

from palimp_daemon.sql import rows
from palimp_daemon.store.store import GLOBAL_PROJECT, Store
from palimp_protocol.operations import ProjectRef


def projects_named(store: Store, name: str, limit: int) -> list[ProjectRef]:
    """Return *limit* projects called *name* that memories or changes are known of; without a name, any."""
    found = rows(
        store.connection,
        "SELECT root, name FROM projects p WHERE id != ? AND (? IN ('', name)) AND substr(root, 1, 1) = '/'"
        " AND (EXISTS (SELECT 1 FROM memories WHERE project_id = p.id) OR EXISTS (SELECT 1 FROM changes WHERE"
        " project_id = p.id)) ORDER BY root LIMIT ?",
        (GLOBAL_PROJECT, name, limit),
    )
    return [ProjectRef(root, called) for root, called in found]
