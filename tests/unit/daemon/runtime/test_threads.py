"""Work in threads: what reads is left behind by a cancelled caller, what changes something is waited for."""

import sys
import threading
from functools import partial

import pytest
import trio
import trio.testing

from palimp_daemon.runtime.threads import SWITCH_S, Lane, brief_turns, finished_in_thread, in_thread


@pytest.mark.parametrize(("run", "is_waited_for"), [(in_thread, False), (finished_in_thread, True)])
async def test_a_cancelled_caller(run, is_waited_for: bool):
    """Leaves reading behind, and waits until a change is whole."""
    started, gate, is_done = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        started.set()
        gate.wait(20)
        is_done.set()

    async def cancel_when_it_runs(scope: trio.CancelScope) -> None:
        await trio.to_thread.run_sync(started.wait)
        scope.cancel()
        if is_waited_for:
            gate.set()

    async with trio.open_nursery() as nursery:
        with trio.CancelScope() as scope:
            nursery.start_soon(cancel_when_it_runs, scope)
            await run(work)
        assert is_done.is_set() is is_waited_for
        gate.set()


def test_turns_are_brief_until_the_last_one_leaves():
    """Whoever leaves first."""
    before_s = sys.getswitchinterval()
    one, other = brief_turns(), brief_turns()
    one.__enter__()
    other.__enter__()
    one.__exit__(None, None, None)
    assert abs(sys.getswitchinterval() - SWITCH_S) < 1e-6
    other.__exit__(None, None, None)
    assert sys.getswitchinterval() == before_s


async def test_in_a_lane_one_works_at_a_time_and_nobody_waits_for_all_of_anothers():
    """Who asks for three things is not served thrice before who asks for one."""
    lane, order, working = Lane(), list[str](), threading.Semaphore(1)

    def work(name: str) -> None:
        assert working.acquire(blocking=False)
        order.append(name)
        working.release()

    gate = threading.Event()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(lane.run, lambda: gate.wait(20), "first")
        await trio.testing.wait_all_tasks_blocked()
        for name, asker in (("a1", "a"), ("a2", "a"), ("a3", "a"), ("b1", "b")):
            nursery.start_soon(lane.run, partial(work, name), asker)
            await trio.testing.wait_all_tasks_blocked()
        gate.set()
    assert order.index("b1") <= 1
    assert sorted(order) == ["a1", "a2", "a3", "b1"]


async def test_work_in_a_lane_takes_brief_turns():
    before_s = sys.getswitchinterval()
    assert await Lane().run(sys.getswitchinterval) <= SWITCH_S < before_s
    assert sys.getswitchinterval() == before_s
