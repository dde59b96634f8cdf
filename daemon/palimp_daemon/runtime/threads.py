"""Blocking work of the services: files and git, in worker threads."""

from collections.abc import Callable
from typing import TypeVar

import trio

T = TypeVar("T")


async def in_thread(work: Callable[[], T]) -> T:
    """Return what *work* returns, run in a thread; a caller that is cancelled does not wait for its end."""
    return await trio.to_thread.run_sync(work, abandon_on_cancel=True)
