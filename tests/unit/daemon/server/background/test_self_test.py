"""The canary: it notices what does not work, and leaves nothing behind."""

from functools import partial
from pathlib import Path

import pytest
import trio
from composed import foundation_on
from request_contexts import NOON_MS

from palimp_daemon.dispatch.services import build_services
from palimp_daemon.features.handler import Invocation
from palimp_daemon.runtime.sql import rows
from palimp_daemon.server.background.self_test import SelfTest
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.sqlite_connection import StoreUnavailableError
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.store.worker.group_commit import Job
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.daemon_messages import Canary, RunCanary
from palimp_protocol.operations import OPERATIONS


def unavailable():
    raise StoreUnavailableError("The disk is gone.", "Plug it in.")


class Daemon:
    """A self-test with its services, and how often it asked for an integrity check."""

    def __init__(self, actor: Actor, folder: Path) -> None:
        self.actor, base = actor, foundation_on(actor, folder)
        self.state, services = base.state, build_services(base)
        self.examined = 0
        self.self_test = SelfTest(
            services.bindings, services.recall.lexical, actor, base.state, base.now_ms, self._examine
        )

    async def _examine(self) -> None:
        self.examined += 1
        self.state.note_intact(NOON_MS)

    async def ask(self, statement: str) -> list[tuple]:
        return await self.actor.ask(Job(lambda store: rows(store.connection, statement), is_write=True))

    async def canary(self, project: str) -> Canary:
        """Ask for it as `palimp doctor` does."""
        handler = self.self_test.bindings()["canary"].handler
        return await handler(Invocation(OPERATIONS["canary"], RunCanary(project=project), Caller()))


@pytest.fixture
async def daemon(tmp_path: Path, nursery: trio.Nursery) -> Daemon:
    actor = Actor(partial(open_store, tmp_path / "palimp.db", "auto"), lambda error: None)
    await nursery.start(actor.run)
    return Daemon(actor, tmp_path)


async def test_all_is_well_and_nothing_is_left(daemon: Daemon):
    """No memory, no MinHash signature, nothing in the index."""
    found = await daemon.self_test.check()

    assert (found.at, found.problem) == (NOON_MS, "")
    for table in ("memories", "sketches", "memories_fts", "vectors"):
        assert await daemon.ask(f"SELECT count(*) FROM {table}") == [(0,)]


async def test_an_index_that_is_not_kept_is_noticed(daemon: Daemon):
    """What was saved is not found; and nothing is left either."""
    await daemon.ask("DROP TRIGGER memories_fts_insert")

    assert "was not found" in (await daemon.self_test.check()).problem
    assert await daemon.ask("SELECT count(*) FROM memories") == [(0,)]


async def test_a_purge_that_does_nothing_is_noticed(daemon: Daemon):
    """The memory is still found."""
    await daemon.ask(
        "CREATE TRIGGER stubborn AFTER UPDATE OF deleted_at ON memories BEGIN"
        " UPDATE memories SET deleted_at = NULL WHERE seq = new.seq AND deleted_at IS NOT NULL; END",
    )

    assert "still found" in (await daemon.self_test.check()).problem


async def test_a_store_that_is_not_there_is_noticed(tmp_path: Path, nursery: trio.Nursery):
    """The reason is told."""
    actor = Actor(unavailable, lambda error: None)
    await nursery.start(actor.run)

    assert "The disk is gone" in (await Daemon(actor, tmp_path).self_test.check()).problem


async def test_a_doctor_has_a_database_examined_that_was_not_yet(daemon: Daemon):
    """Once; and what came of the check is kept for `health`."""
    for project in ("", "/w/one", "/w/two"):
        canary = await daemon.canary(project)
    assert daemon.examined == 1
    assert daemon.state.canary is canary
