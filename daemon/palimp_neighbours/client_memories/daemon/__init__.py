"""Read clients' own memories from their files."""

from functools import partial

from palimp_daemon.features.neighbour import Background, Neighbour, NeighbourBase
from palimp_daemon.store.opening import open_in_memory
from palimp_neighbours.client_memories.daemon.project_notes import ClientMemories, NotesStore


def build(base: NeighbourBase) -> Neighbour:
    """Return the source of clients' own memories."""
    stores = NotesStore(partial(open_in_memory, base.config.search_engine), base.jobs.now_ms, base.jobs.random)
    notes = ClientMemories(stores, base.settings, base.redact, base.log)
    return Neighbour(
        beside=[notes], background=Background(before_serving=[notes.run]), health={"claude_memory": notes.describe}
    )
