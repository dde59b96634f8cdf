"""The context of a request."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import tzinfo

from palimp_daemon.runtime.caller_zone import zone_called
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memory_rows import Row
from palimp_daemon.store.tables.vector_rows import QueryVectors
from palimp_protocol.messages.caller import Caller


def ignore_row(_: Row) -> None:
    """Do nothing."""


@dataclass(frozen=True)
class RequestContext:
    """Store, caller, Unix milliseconds, and randomness of one request."""

    store: Store
    caller: Caller
    now_ms: int
    random: Callable[[], int]
    """Draws `ids.RANDOM_BITS` bits."""
    query_vectors: QueryVectors = ()
    """The query's meaning, with `palimp[semantic]`."""
    on_row: Callable[[Row], None] = ignore_row
    is_spelled: bool = True
    """Whether unknown words are replaced by similar ones."""

    saves_wait: bool = False
    """Whether saves wait for the user's yes (`save.review`)."""

    @property
    def zone(self) -> tzinfo:
        """The caller's time zone."""
        return zone_called(self.caller.zone)
