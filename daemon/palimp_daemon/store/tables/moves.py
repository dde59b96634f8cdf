"""SQL of moving memories to another project."""

import json
from collections.abc import Sequence

from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memory_links import repoint_across
from palimp_daemon.store.tables.steps import Step, note
from palimp_daemon.store.tables.vector_rows import KnownVectors


def set_project(store: Store, seqs: Sequence[int], project: int) -> bool:
    """Move *seqs* to *project*; False if it does not exist."""
    if not store.value("SELECT EXISTS (SELECT 1 FROM projects WHERE id = ?)", (project,)):
        return False
    found = store.rows(
        "SELECT seq, project_id FROM memories WHERE seq IN (SELECT value FROM json_each(?)) AND project_id != ?",
        (json.dumps(list(seqs)), project),
    )
    for seq, before in found:
        store.execute("UPDATE memories SET project_id = ? WHERE seq = ?", (project, seq))
        note(store, Step("project", seq, before, project))
    repoint_across(store, [seq for seq, _ in found])
    store.state(KnownVectors).of_kind.clear()  # which know the projects of vectors
    return True
