"""Counts of recalls, stored now and then, as a recall is no write; a kill loses the last minute's."""

from collections.abc import Callable, Mapping

from palimp_daemon.store.store import Store, ensure_session, project_row
from palimp_daemon.store.tables.sessions.session_rows import note_recalls
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import Job
from palimp_protocol.messages.caller import Caller

SESSIONS_MAX = 1_000
"""Sessions counted between two writes to the store; users have tens."""


class RecallCounts:
    """Counts not yet stored."""

    def __init__(self) -> None:
        self._counts: dict[tuple[str, str], tuple[Caller, int, int]] = {}

    def note(self, caller: Caller, now_ms: int) -> None:
        """Count a recall of *caller*'s session."""
        if caller.session is not None:
            self._add((caller.session.key, caller.root), caller, 1, now_ms)

    def _add(self, key: tuple[str, str], caller: Caller, count: int, at: int) -> None:
        if key in self._counts or len(self._counts) < SESSIONS_MAX:
            _, known, known_at = self._counts.get(key, (caller, 0, 0))
            self._counts[key] = (caller, known + count, max(known_at, at))

    async def store(self, actor: Actor) -> None:
        """Store and reset the counts; on an error they stay.

        Raises:
            PalimpError: the store cannot be used, or the disk is full.
        """
        if not self._counts:
            return
        counts, self._counts = self._counts, {}
        is_stored = False
        try:
            await actor.ask(Job(_storing(counts), is_write=True))
            is_stored = True
        finally:
            if not is_stored:
                for key, (caller, count, at) in counts.items():
                    self._add(key, caller, count, at)


def _storing(counts: Mapping[tuple[str, str], tuple[Caller, int, int]]) -> Callable[[Store], None]:
    def work(store: Store) -> None:
        for caller, count, at in counts.values():
            project = project_row(store, caller)
            session = None if project is None else ensure_session(store, caller, project, at)
            if session is not None:
                note_recalls(store, session, count, at)

    return work
