"""Request contexts for tests, with a clock and ids that a test can foresee."""

import itertools

from palimp_daemon.store.ids import RANDOM_BITS
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef

NOON_MS = 1_763_726_400_000
"""2025-11-21T12:00:00Z."""


class RequestContexts:
    """Makes request contexts: a clock that ticks a minute with each, and ids that differ."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.minutes = itertools.count()
        self.bits = itertools.count(1)

    def __call__(
        self, project: str | None = "/work/one", session: str | None = "s1", *, saves_wait: bool = False
    ) -> RequestContext:
        """Return a context in a project and a session; without a session it is a person's, at a terminal."""
        caller = Caller(
            ProjectRef(project, project.rsplit("/", 1)[-1]) if project else None,
            SessionRef(session, "test") if session else None,
        )
        return RequestContext(
            self.store,
            caller,
            NOON_MS + next(self.minutes) * 60_000,
            lambda: next(self.bits) * 7_919_191 % 2**RANDOM_BITS,
            saves_wait=saves_wait,
        )
