"""The dispatcher: what becomes of a bug, and of damage."""

import threading
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing
from composed import dispatcher_of, foundation_on

from palimp_daemon.dispatch.dispatcher import Dispatcher
from palimp_daemon.dispatch.latency import Latencies
from palimp_daemon.dispatch.services import build_services
from palimp_daemon.features.handler import AsyncHandler, Binding, Invocation
from palimp_daemon.features.sessions.frame_words import FrameWords
from palimp_daemon.store.sqlite_connection import StoreDamagedError
from palimp_daemon.store.store import Store
from palimp_daemon.store.worker.actor import Actor
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.daemon_messages import Health
from palimp_protocol.messages.memory_messages import Recall, Recalled
from palimp_protocol.messages.removed_code import CheckChange
from palimp_protocol.operations import OPERATIONS


class Folders:
    """Says of every folder that it holds another repository than before."""

    def is_confirmed(self, _: Caller) -> bool:
        return False

    async def confirm(self, _: Caller) -> str:
        return "It held another repository."


def answering(answer: Any, tmp_path: Path) -> Dispatcher:
    """Return a dispatcher that has *answer* for every operation."""
    base = foundation_on(None, tmp_path)
    binding = Binding(AsyncHandler(answer), lambda reply, _: f"{reply}\x1b[2J")
    words = FrameWords(tmp_path / "key")
    return Dispatcher(dict.fromkeys(OPERATIONS, binding), Folders(), words, base.state, Latencies(), base.log)


async def test_a_bug_is_an_answer_and_not_the_end_of_the_daemon(tmp_path: Path):
    async def break_down(_: Invocation) -> None:
        raise ExceptionGroup("a bug", [KeyError("x")])

    with pytest.raises(PalimpError) as failed:
        await answering(break_down, tmp_path).answer(
            OPERATIONS["check_change"], CheckChange(path="a", text="b"), Caller()
        )
    assert failed.value.code is ErrorCode.INTERNAL


async def test_what_is_said_of_a_folder_is_a_note_of_the_reply(tmp_path: Path):
    """Unless it does not matter for that operation which repository the folder holds."""

    async def nothing(_: Invocation) -> Recalled:
        return Recalled(notes=["one"])

    dispatcher = answering(nothing, tmp_path)
    recalled = await dispatcher.answer(OPERATIONS["recall"], Recall(), Caller())
    health = await dispatcher.answer(OPERATIONS["health"], Health(), Caller())
    assert (recalled.notes, health.notes) == (["It held another repository.", "one"], ["one"])
    assert dispatcher.job_for(OPERATIONS["recall"], Recall(), Caller(), b"") is None


def test_no_text_of_a_reply_has_a_terminal_escape(tmp_path: Path):
    assert answering(None, tmp_path).text_of(OPERATIONS["recall"], "found", "toon", Caller()) == "found"


def test_every_operation_is_bound_and_every_tool_has_a_renderer(tmp_path: Path):
    """But the self-test, which is bound by the server, being made of the others."""
    bindings = build_services(foundation_on(None, tmp_path)).bindings
    assert {*bindings, "canary"} == OPERATIONS.keys()
    tools = {name for name, operation in OPERATIONS.items() if operation.is_tool}
    assert tools <= {name for name, binding in bindings.items() if binding.render}


async def test_health_that_was_asked_for_before_the_damage_was_found_tells_of_it(tmp_path: Path, nursery):
    """`palimp doctor --fix` starts the daemon itself, and repairs only what is said to be damaged."""
    is_asked = threading.Event()

    def damaged() -> Store:
        assert is_asked.wait(20)
        raise StoreDamagedError(tmp_path / "palimp.db", "is damaged")

    actor = Actor(damaged, lambda _: None)
    await nursery.start(actor.run)
    dispatcher, told = dispatcher_of(foundation_on(actor, tmp_path)), []

    async def ask() -> None:
        told.append(await dispatcher.answer(OPERATIONS["health"], Health(), Caller()))

    with trio.fail_after(60):
        async with trio.open_nursery() as asking:
            asking.start_soon(ask)
            await trio.testing.wait_all_tasks_blocked()
            is_asked.set()
    assert told[0].is_damaged


async def test_nothing_begins_while_the_daemon_stops(tmp_path: Path):
    """So that nothing is looked at which the next daemon may know better."""
    base = foundation_on(None, tmp_path)
    dispatcher = dispatcher_of(base)
    dispatcher.begin()
    base.state.request_stop(by_user=True)
    with pytest.raises(PalimpError) as refused:
        dispatcher.begin()
    assert refused.value.code is ErrorCode.STOPPING
