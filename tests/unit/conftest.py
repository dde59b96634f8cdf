"""Fixtures of the unit tests: a store, and a request context to work at it."""

from pathlib import Path

import pytest
from lanes import ENGINES, IS_NIGHTLY
from new_stores import new_store
from request_contexts import RequestContexts
from running_daemon import fresh_home

from palimp_daemon.store.store import Store


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give a test its store on FTS5, and on FTS4 as well where it is about searching, or at night."""
    if "on_engine" in metafunc.fixturenames:
        is_on_both = IS_NIGHTLY or metafunc.definition.get_closest_marker("both_engines")
        metafunc.parametrize("on_engine", ENGINES if is_on_both else ENGINES[:1])


@pytest.fixture
def store(on_engine: str, tmp_path: Path):
    """An open store."""
    opened = new_store(tmp_path / "palimp.db", on_engine)
    assert opened.engine.name == on_engine
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
