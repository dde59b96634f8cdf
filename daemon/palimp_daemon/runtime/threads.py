"""Blocking work of the services, files and git, in worker threads: to be abandoned, or to be finished."""

import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final, TypeVar

import trio

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


@contextmanager
def brief_turns() -> Generator[None]:
    """Have threads take brief turns, so that long work of one in Python does not hold up those who serve.

    One at a time: the last to leave would bring back what the first had set.
    """
    before = sys.getswitchinterval()
    sys.setswitchinterval(min(before, SWITCH_S))
    try:
        yield
    finally:
        sys.setswitchinterval(before)
