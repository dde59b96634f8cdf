"""Cache approximate numbers of memories of projects, until the store has grown by a tenth."""

from collections.abc import Sequence
from typing import Final

from palimp_daemon.runtime.sql import in_list
from palimp_daemon.store.store import Store, StoreState, newest_memory

GROWN: Final = 1.1
"""Growth factor since the last count that triggers a new one."""

KEPT_MAX: Final = 256
"""Groups of projects with cached counts; beyond it, all are dropped."""


class ProjectSizes(StoreState):
    """Counts by projects, with the store's newest memory then."""

    def __init__(self) -> None:
        self.counted: dict[tuple[int, ...], tuple[int, int]] = {}


def count_memories(store: Store, projects: Sequence[int]) -> int:
    """Return the approximate number of memories, purged and replaced included."""
    counted, newest = store.state(ProjectSizes).counted, newest_memory(store)
    key = tuple(projects)
    size, then = counted.get(key, (0, -1))
    if not then <= newest <= GROWN * then:
        if len(counted) >= KEPT_MAX:
            counted.clear()
        places, values = in_list(list(projects))
        size = store.value(f"SELECT count(*) FROM memories WHERE project_id IN {places}", values)
        counted[key] = size, newest
    return size
