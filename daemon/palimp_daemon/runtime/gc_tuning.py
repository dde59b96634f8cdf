"""Tune the garbage collector: freeze startup objects, collect the rest every minute.

A full collection of 115,000 objects blocks for 25 to 70 ms, without the frozen ones for one.
"""

import gc
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

import trio

COLLECT_S: Final = 60.0
"""Seconds between two collections: sessions come and go by the minute at most."""


def freeze_objects() -> None:
    """Freeze all objects; they are still freed without references."""
    gc.freeze()


@contextmanager
def pause_collecting() -> Generator[None]:
    """Run without the collector, then freeze the new objects."""
    gc.disable()
    try:
        yield
    finally:
        freeze_objects()
        gc.enable()


async def keep_collecting() -> None:
    """Collect every COLLECT_S, until cancelled."""
    while True:
        await trio.sleep(COLLECT_S)
        gc.collect()
