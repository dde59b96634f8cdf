"""The canary: it notices what does not work, and leaves nothing behind."""

from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
import trio
from request_contexts import NOON_MS

from palimp_daemon.dispatch.dispatcher import Calls
from palimp_daemon.dispatch.services import DaemonState
from palimp_daemon.runtime.sql import rows
from palimp_daemon.server.background.self_test import checked
from palimp_daemon.settings.resolver import Preferences
from palimp_daemon.store.connection import StoreUnavailableError
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import Job


def unavailable():
    raise StoreUnavailableError("The disk is gone.", "Plug it in.")


def calls_of(actor: Actor, folder: Path) -> Calls:
    preferences = Preferences({"HOME": str(folder)})
    return Calls(
        actor,
        SimpleNamespace(log_level="error", keep_changes_days=0, database=folder / "palimp.db"),
        DaemonState("b", 0.0),
        preferences,
        now_ms=lambda: NOON_MS,
    )  # type: ignore[arg-type]


@pytest.fixture
async def calls(tmp_path: Path, nursery: trio.Nursery) -> Calls:
    actor = Actor(partial(open_store, tmp_path / "palimp.db", "auto"), lambda error: None)
    await nursery.start(actor.run)
    return calls_of(actor, tmp_path)


async def ask(calls: Calls, statement: str):
    return await calls.actor.ask(Job(lambda store: rows(store.connection, statement), is_write=True))


async def test_all_is_well_and_nothing_is_left(calls):
    """No memory, no MinHash signature, nothing in the index."""
    found = await checked(calls)

    assert (found.at, found.problem) == (NOON_MS, "")
    for table in ("memories", "sketches", "memories_fts", "vectors"):
        assert await ask(calls, f"SELECT count(*) FROM {table}") == [(0,)]


async def test_an_index_that_is_not_kept_is_noticed(calls):
    """What was saved is not found; and nothing is left either."""
    await ask(calls, "DROP TRIGGER memories_fts_insert")

    assert "was not found" in (await checked(calls)).problem
    assert await ask(calls, "SELECT count(*) FROM memories") == [(0,)]


async def test_a_purge_that_does_nothing_is_noticed(calls):
    """The memory is still found."""
    await ask(
        calls,
        "CREATE TRIGGER stubborn AFTER UPDATE OF deleted_at ON memories BEGIN"
        " UPDATE memories SET deleted_at = NULL WHERE seq = new.seq AND deleted_at IS NOT NULL; END",
    )

    assert "still found" in (await checked(calls)).problem


async def test_a_store_that_is_not_there_is_noticed(tmp_path: Path, nursery: trio.Nursery):
    """The reason is told."""
    actor = Actor(unavailable, lambda error: None)
    await nursery.start(actor.run)

    assert "The disk is gone" in (await checked(calls_of(actor, tmp_path))).problem
