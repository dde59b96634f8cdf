"""Fixtures of the daemon's tests: a store on each engine, and a desk to work at it."""

import itertools
from pathlib import Path

import pytest
from palimp_daemon.operations.desk import Desk
from palimp_daemon.store.store import Store, open_store
from palimp_protocol.operations import Caller, ProjectRef, SessionRef

NOON_MS = 1_763_726_400_000
"""2025-11-21T12:00:00Z."""


@pytest.fixture(params=["fts5", "fts4"])
def store(request, tmp_path: Path):
    """An open store, once on each full-text engine."""
    opened = open_store(tmp_path / "palimp.db", request.param)
    assert opened.engine.name == request.param
    yield opened
    opened.connection.close()


class Desks:
    """Makes desks: a clock that ticks a minute with each, and ids that differ."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.minutes = itertools.count()
        self.bits = itertools.count(1)

    def __call__(self, project: str | None = "/work/one", session: str = "s1") -> Desk:
        caller = Caller(ProjectRef(project, project.rsplit("/", 1)[-1]) if project else None, SessionRef(session, "test"))
        return Desk(self.store, caller, NOON_MS + next(self.minutes) * 60_000, lambda: next(self.bits) * 7_919_191)


@pytest.fixture
def desk(store: Store) -> Desks:
    """Makes a desk for a request: `desk()` in project one, `desk("/work/two")` in another."""
    return Desks(store)
