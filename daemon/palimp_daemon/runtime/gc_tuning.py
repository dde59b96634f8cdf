"""What Python's garbage collector looks through: little, and every minute.

Theory
------
Reference cycles are found by looking through all objects, which Python does when those that have lived for long
have become a quarter more. Of a daemon's 115,000 objects, 111,000 are modules, classes and schemas, which stay:
looking through them is a pause of 25 to 70 ms in which nobody is answered, and until it comes, what ended sessions
left in cycles (10 KB each) is kept. So what is there when the daemon can serve is taken out of sight, and the rest
is looked through every COLLECT_S, which takes a millisecond. See docs/adr for what was measured.

While modules are imported, everything new stays, and looking through it again and again is a tenth of the time.
"""

import gc
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

import trio

COLLECT_S: Final = 60.0
"""Seconds between two looks: sessions come and go by the minute at most."""


def leave_out_what_stays() -> None:
    """Take everything that there is now out of the collector's sight. It is still freed when nothing refers to it."""
    gc.freeze()


@contextmanager
def kept_from_looking() -> Generator[None]:
    """Have nothing looked through while what is made stays; it is left out afterwards."""
    gc.disable()
    try:
        yield
    finally:
        leave_out_what_stays()
        gc.enable()


async def keep_collecting() -> None:
    """Collect what is in cycles, every COLLECT_S. Runs until cancelled."""
    while True:
        await trio.sleep(COLLECT_S)
        gc.collect()
