"""Blocking work of the services, files and git, in worker threads: to be abandoned, or to be finished."""

from collections.abc import Callable
from typing import TypeVar

import trio

T = TypeVar("T")


async def in_thread(work: Callable[[], T]) -> T:
    """Return what *work* returns, run in a thread; a cancelled caller does not wait for its end. For reading."""
    return await trio.to_thread.run_sync(work, abandon_on_cancel=True)


async def finished_in_thread(work: Callable[[], T]) -> T:
    """Return what *work* returns, run in a thread; a cancelled caller waits for its end. For changing files."""
    return await trio.to_thread.run_sync(work, abandon_on_cancel=False)
