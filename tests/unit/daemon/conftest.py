"""Fixtures of the daemon's tests: a store on each engine, and a request context to work at it."""

from pathlib import Path

import pytest
from new_stores import new_store
from request_contexts import RequestContexts
from running_daemon import fresh_home

from palimp_daemon.store.store import Store


@pytest.fixture(params=["fts5", "fts4"])
def store(request, tmp_path: Path):
    """An open store, once on each full-text engine."""
    opened = new_store(tmp_path / "palimp.db", request.param)
    assert opened.engine.name == request.param
    yield opened
    opened.connection.close()


@pytest.fixture
def request_context(store: Store) -> RequestContexts:
    """Makes request contexts: `request_context()` in project one, `request_context("/work/two")` in another."""
    return RequestContexts(store)


@pytest.fixture
def path():
    """Where a socket may lie, in a folder of its own with a short path; what is left there is removed."""
    folder = fresh_home()
    yield folder / "test.sock"
    for left in folder.iterdir():
        left.unlink()
    folder.rmdir()
