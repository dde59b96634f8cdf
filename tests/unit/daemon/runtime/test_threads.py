"""Work in threads: what reads is left behind by a cancelled caller, what changes something is waited for."""

import sys
import threading

import pytest
import trio

from palimp_daemon.runtime.threads import SWITCH_S, brief_turns, finished_in_thread, in_thread


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
