"""`erase`: the rows of memories are deleted; that nothing of them is left in the file is `palimp_daemon.erasures`."""

from palimp_daemon.operations.desk import Desk
from palimp_daemon.operations.recall import named
from palimp_daemon.store import memories
from palimp_protocol.upkeep import Erase, Erased


def erase(desk: Desk, request: Erase) -> Erased:
    """Delete the memories that *request* names, purged or not, in the caller's project and the global scope."""
    rows, unknown = named(desk, request.ids)
    erased: list[tuple[str, str]] = []
    for row in rows:
        shown = memories.shown_id(row)
        memories.erase(desk.store, row.seq, shown)
        erased.append((shown, row.title))
    return Erased(memories=erased, unknown=unknown)
