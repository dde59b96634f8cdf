"""How often sessions recalled: counted in memory and stored now and then, since a recall is no write.

A daemon that is killed loses the counts of its last minute.
"""

from collections.abc import Callable

from palimp_daemon.store.store import Store, ensure_session, project_row
from palimp_daemon.store.tables.sessions import note_recalls
from palimp_protocol.messages.caller import Caller

SESSIONS_MAX = 1_000
"""Sessions counted between two times of storing; a user has tens."""


class RecallCounts:
    """Counts that are not stored yet."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], tuple[Caller, int, int]] = {}

    def note(self, caller: Caller, now_ms: int) -> None:
        """Count a recall of *caller*'s session."""
        if caller.session is None or len(self._counts) >= SESSIONS_MAX:
            return
        key = (caller.session.key, caller.project.root if caller.project else "")
        _, count, _ = self._counts.get(key, (caller, 0, 0))
        self._counts[key] = (caller, count + 1, now_ms)

    def taken(self) -> Callable[[Store], None]:
        """Return the work that stores the counts, which are 0 from now on."""
        counts, self._counts = self._counts, {}

        def work(store: Store) -> None:
            for caller, count, at in counts.values():
                project = project_row(store, caller)
                session = None if project is None else ensure_session(store, caller, project, at)
                if session is not None:
                    note_recalls(store, session, count, at)

        return work
