"""End the daemon before it fills the machine's memory; clients resend to the next one.

libzmq bounds the size of a message's parts, not their number, and delivers whole messages only, so the whole process is
measured.
"""

from collections.abc import Callable, Sequence
from mmap import PAGESIZE
from pathlib import Path
from typing import Final

import trio

from palimp_daemon.dispatch.state import DaemonState
from palimp_daemon.runtime.files import size_of
from palimp_daemon.runtime.log import Log

CHECK_S: Final = 0.5
"""Seconds between two looks, of 20 µs: in that time a program can send a gigabyte."""

RESIDENT_MAX: Final = 512 << 20
"""Bytes in memory, besides the databases' size: eight sessions and 100,000 memories take a third."""

_STATM: Final = Path("/proc/self/statm")


def resident_bytes() -> int:
    """Return the resident bytes of this process; 0 if unknown."""
    try:
        return int(_STATM.read_bytes().split()[1]) * PAGESIZE
    except OSError:
        return 0


async def keep_within(
    state: DaemonState, databases: Sequence[Path], log: Log, resident: Callable[[], int] = resident_bytes
) -> None:
    """Stop the daemon above RESIDENT_MAX plus the size of its *databases*."""
    while True:
        await trio.sleep(CHECK_S)
        taken = resident()
        if taken > RESIDENT_MAX and taken > RESIDENT_MAX + sum(map(size_of, databases)):
            log("memory_exceeded", resident_bytes=taken)
            state.request_stop(by_user=False)
