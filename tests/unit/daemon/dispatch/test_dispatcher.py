"""Calls: what becomes of a bug, and of damage."""

import threading
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from palimp_daemon.dispatch.dispatcher import Calls
from palimp_daemon.dispatch.services import DaemonState
from palimp_daemon.settings.resolver import Preferences
from palimp_daemon.settings.startup import Config
from palimp_daemon.store.connection import StoreDamagedError
from palimp_daemon.store.store import Store
from palimp_daemon.store.worker.actor import Actor
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.daemon import Health
from palimp_protocol.messages.removed_code import CheckChange
from palimp_protocol.operations import OPERATIONS


class Broken:
    """Fails as a bug does."""

    async def check(self, *_: object) -> None:
        raise ExceptionGroup("a bug", [KeyError("x")])


def calls_of(actor: Any, home: Path) -> Calls:
    """Return calls that are answered with *actor*."""
    nothing = home / "x"
    config = Config(database=nothing, lock=nothing, address=nothing, stopped=nothing, socket=nothing, spool=nothing)
    return Calls(actor, config, DaemonState("b", 0.0), Preferences({"HOME": str(home)}))


async def test_a_bug_is_an_answer_and_not_the_end_of_the_daemon(tmp_path: Path):
    calls = calls_of(None, tmp_path)
    calls.__dict__["checks"] = Broken()
    with pytest.raises(PalimpError) as failed:
        await calls.answer(OPERATIONS["check_change"], CheckChange(path="a", text="b"), Caller(), b"")
    assert failed.value.code is ErrorCode.INTERNAL


async def test_health_that_was_asked_for_before_the_damage_was_found_tells_of_it(tmp_path: Path, nursery):
    """`palimp doctor --fix` starts the daemon itself, and repairs only what is said to be damaged."""
    is_asked = threading.Event()

    def damaged() -> Store:
        assert is_asked.wait(20)
        raise StoreDamagedError(tmp_path / "palimp.db", "is damaged")

    actor = Actor(damaged, lambda _: None)
    await nursery.start(actor.run)
    calls, told = calls_of(actor, tmp_path), []

    async def ask() -> None:
        told.append(await calls.answer(OPERATIONS["health"], Health(), Caller(), b""))

    with trio.fail_after(20):
        async with trio.open_nursery() as asking:
            asking.start_soon(ask)
            await trio.testing.wait_all_tasks_blocked()
            is_asked.set()
    assert told[0].is_damaged


async def test_nothing_begins_while_the_daemon_stops(tmp_path: Path):
    """So that nothing is looked at which the next daemon may know better."""
    calls = calls_of(None, tmp_path)
    calls.began()
    calls.state.stop.set()
    with pytest.raises(PalimpError) as refused:
        calls.began()
    assert refused.value.code is ErrorCode.STOPPING
