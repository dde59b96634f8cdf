"""Run blocking work in worker threads."""

import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final, TypeVar

import trio

from palimp_daemon.runtime.keyed_locks import KeyedLocks

T = TypeVar("T")

SWITCH_S: Final = 0.0002
"""Seconds after which a busy thread yields the interpreter. A search yields with each of its ten or twenty statements,
and would wait Python's 5 ms each time."""


async def in_thread(work: Callable[[], T]) -> T:
    """Run *work*, which only reads, in a thread; a cancelled caller abandons it."""
    return await trio.to_thread.run_sync(work, abandon_on_cancel=True)


async def finished_in_thread(work: Callable[[], T]) -> T:
    """Run *work*, which changes files, in a thread; a cancelled caller waits for its end."""
    return await trio.to_thread.run_sync(work, abandon_on_cancel=False)


class Lane:
    """A thread for long work in Python, in pieces, so that other threads get turns; askers take turns."""

    def __init__(self) -> None:
        self._one = trio.CapacityLimiter(1)
        self._askers = KeyedLocks()

    async def run(self, work: Callable[[], T], asker: str = "") -> T:
        """Run *work* at *asker*'s turn; a cancelled caller abandons it."""

        def briefly() -> T:
            with brief_turns():
                return work()

        async with self._askers.lock(asker):
            return await trio.to_thread.run_sync(briefly, abandon_on_cancel=True, limiter=self._one)


class _Turns:
    lock: Final = threading.Lock()
    asking = 0
    before_s = 0.0


@contextmanager
def brief_turns() -> Generator[None]:
    """Shorten the interpreter's switch interval for the sake of serving threads."""
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
