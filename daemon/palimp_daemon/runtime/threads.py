"""Blocking work of the services, files and git, in worker threads: to be abandoned, or to be finished."""

import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final, TypeVar

import trio

from palimp_daemon.runtime.keyed_locks import KeyedLocks

T = TypeVar("T")

SWITCH_S: Final = 0.0002
"""Seconds after which a thread at work gives the interpreter to one that waits, while much is read. A search gives it
away with each of its statements, ten or twenty of them, and with Python's 5 ms waits so long for it each time."""


async def in_thread(work: Callable[[], T]) -> T:
    """Return what *work* returns, run in a thread; a cancelled caller does not wait for its end. For reading."""
    return await trio.to_thread.run_sync(work, abandon_on_cancel=True)


async def finished_in_thread(work: Callable[[], T]) -> T:
    """Return what *work* returns, run in a thread; a cancelled caller waits for its end. For changing files."""
    return await trio.to_thread.run_sync(work, abandon_on_cancel=False)


class Lane:
    """A thread for work in Python that may take long, one piece at a time, so that all others keep their turns.

    Who asks for several pieces at once waits for the second behind everybody else's first.
    """

    def __init__(self) -> None:
        self._one = trio.CapacityLimiter(1)
        self._askers = KeyedLocks()

    async def run(self, work: Callable[[], T], asker: str = "") -> T:
        """Return what *work* returns, once it was *asker*'s turn; a cancelled caller does not wait for its end."""

        def briefly() -> T:
            with brief_turns():
                return work()

        async with self._askers.lock(asker):
            return await trio.to_thread.run_sync(briefly, abandon_on_cancel=True, limiter=self._one)


class _Turns:
    """How many have asked for brief turns, and how long turns were before the first of them did."""

    lock: Final = threading.Lock()
    asking = 0
    before_s = 0.0


@contextmanager
def brief_turns() -> Generator[None]:
    """Have threads take brief turns, so that long work of one in Python does not hold up those who serve."""
    with _Turns.lock:
        if not _Turns.asking:
            _Turns.before_s = sys.getswitchinterval()
            sys.setswitchinterval(min(_Turns.before_s, SWITCH_S))
        _Turns.asking += 1
    try:
        yield
    finally:
        with _Turns.lock:
            _Turns.asking -= 1
            if not _Turns.asking:
                sys.setswitchinterval(_Turns.before_s)
