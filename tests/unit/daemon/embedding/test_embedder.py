"""The owner of a model's process: starts it when it is needed, ends it when it is not, and rests when it fails.

The process is a stand-in here; tests/system/test_semantic_service.py has the real one.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest
import trio
import trio.testing

from palimp_daemon.embedding import embedder
from palimp_daemon.embedding.embedder import EMBEDDER_IDLE_S, FAILURES_MAX, RETRY_S, Embedder, vectors_of
from palimp_daemon.embedding.models import Model
from palimp_daemon.embedding.process import Lane, ModelFile
from palimp_daemon.runtime.child_process import ChildError


class StandIn:
    """A process whose vector of a text is the text; it may fail, or wait until it is let go."""

    def __init__(self) -> None:
        self.fails = False
        self.gate: trio.Event | None = None
        self.asked: list[str] = []
        self.is_ended = False

    async def vectors(self, lane: Lane, texts: Sequence[str]) -> list[bytes]:
        """Return what is asked for."""
        self.asked += texts
        if self.gate is not None and lane is Lane.MEMORIES:
            await self.gate.wait()
        if self.fails:
            raise ChildError("it ended")
        return [text.encode() for text in texts]

    async def end(self) -> None:
        """Note that nobody needs it any more."""
        self.is_ended = True


class Running:
    """An embedder at work, with the processes that it started and what it logged."""

    def __init__(self) -> None:
        self.processes: list[StandIn] = []
        self.logged: list[str] = []
        model = Model("stand-in", ModelFile(Path("/x"), "abc"))
        self.embedder = Embedder(model, lambda event, **_: self.logged.append(event))
        self.next_fails = False

    async def start(self, _: ModelFile) -> StandIn:
        """Start a process."""
        started = StandIn()
        started.fails = self.next_fails
        self.processes.append(started)
        return started


@pytest.fixture
async def running(nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch):
    """An embedder at work."""
    made = Running()
    monkeypatch.setattr(embedder, "start_embedder", made.start)
    nursery.start_soon(made.embedder.run)
    yield made
    nursery.cancel_scope.cancel()


async def test_one_process_answers_in_both_lanes(running: Running):
    """It is started by the first text."""
    assert running.processes == []
    assert await running.embedder.vector("да", Lane.QUERIES) == "да".encode()
    assert await running.embedder.vector("memory", Lane.MEMORIES) == b"memory"
    assert len(running.processes) == 1


async def test_a_session_that_begins_has_it_started_once(running: Running):
    """Before anything is asked."""
    running.embedder.warm_up()
    running.embedder.warm_up()
    await trio.testing.wait_all_tasks_blocked()
    running.embedder.warm_up()
    await trio.testing.wait_all_tasks_blocked()

    assert len(running.processes) == 1
    assert len(running.processes[0].asked) == 1


async def test_it_is_ended_when_nobody_asks_and_started_again_when_somebody_does(autojump_clock, running: Running):
    """Its memory is for others meanwhile."""
    await running.embedder.vector("one", Lane.QUERIES)
    await trio.sleep(EMBEDDER_IDLE_S - 1)
    assert not running.processes[0].is_ended
    await trio.sleep(2)
    assert running.processes[0].is_ended

    assert await running.embedder.vector("two", Lane.QUERIES) == b"two"
    assert len(running.processes) == 2


async def test_one_that_fails_is_replaced_by_the_next(running: Running):
    """Both lanes that lose it count as one failure."""
    await running.embedder.vector("one", Lane.QUERIES)
    running.processes[0].fails = True
    running.processes[0].gate = gate = trio.Event()
    lost: list[bytes | None] = []

    async def ask(lane: Lane) -> None:
        lost.append(await running.embedder.vector("lost", lane))

    async with trio.open_nursery() as both:
        both.start_soon(ask, Lane.MEMORIES)
        await trio.testing.wait_all_tasks_blocked()
        both.start_soon(ask, Lane.QUERIES)
        await trio.testing.wait_all_tasks_blocked()
        gate.set()

    assert lost == [None, None]
    assert running.logged == ["embedder_failed"]
    assert await running.embedder.vector("two", Lane.QUERIES) == b"two"


async def test_after_failures_in_a_row_it_rests_and_then_tries_again(autojump_clock, running: Running):
    """And says why meanwhile, without starting anything."""
    running.next_fails = True
    for _ in range(FAILURES_MAX):
        assert running.embedder.problem == ""
        assert await running.embedder.vector("x", Lane.QUERIES) is None
    assert running.embedder.problem == "it ended"
    running.embedder.warm_up()
    assert await running.embedder.vector("x", Lane.QUERIES) is None
    assert len(running.processes) == FAILURES_MAX

    running.next_fails = False
    await trio.sleep(RETRY_S)
    assert running.embedder.problem == ""
    assert await running.embedder.vector("x", Lane.QUERIES) == b"x"


async def test_what_nobody_waits_for_any_more_is_not_embedded(running: Running):
    """What is in hand is brought to its end, so that the next answer is the next one's."""
    await running.embedder.vector("one", Lane.MEMORIES)
    running.processes[0].gate = gate = trio.Event()
    async with trio.open_nursery() as asking:
        for text in ("in hand", "given up"):
            asking.start_soon(running.embedder.vector, text, Lane.MEMORIES)
            await trio.testing.wait_all_tasks_blocked()
        asking.cancel_scope.cancel()
    gate.set()

    assert await running.embedder.vector("next", Lane.MEMORIES) == b"next"
    assert running.processes[0].asked == ["one", "in hand", "next"]


async def test_of_several_models_those_count_that_answer_in_time(running: Running):
    """The others go on."""
    late = Embedder(Model("late", ModelFile(Path("/y"), "def")), lambda *_, **__: None)

    found = await vectors_of("text", [running.embedder, late], 1.0)

    assert found == {running.embedder.model.key: b"text"}
