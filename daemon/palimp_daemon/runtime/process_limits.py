"""Set kernel limits: no core dumps (memories in the clear), and as many descriptors as allowed."""

import ctypes
import resource
import sys
from typing import Final

PR_SET_DUMPABLE: Final = 4
"""prctl(2): without it there is no core, and the user's other processes cannot attach or read /proc/PID/mem."""


NEEDED_BYTES: Final = 256 * 1024**2
"""Least usable address space: with less, libzmq aborts, and SQLite and Python run out of memory. A third more suffices
for all but embedding (`ulimit -v`)."""


class TooLittleMemoryError(Exception):
    """This process may not have the memory it needs; the text has amount and remedy."""


def refuse_little_memory() -> None:
    """Check that this process may have NEEDED_BYTES of address space.

    Raises:
        TooLittleMemoryError: it may not.
    """
    most = resource.getrlimit(resource.RLIMIT_AS)[0]
    if most != resource.RLIM_INFINITY and most < NEEDED_BYTES:
        raise TooLittleMemoryError(
            f"Processes may have only {most // 1024**2} MB of memory here (ulimit -v), and palimpd needs"
            f" {NEEDED_BYTES // 1024**2} MB. Raise the limit."
        )


def bound_address_space(most: int) -> None:
    """Limit the address space to *most* bytes, or to a lower limit of the user."""
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def forbid_core_dumps() -> None:
    """Forbid core dumps, and access to this process' memory except by root."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def allow_descriptors() -> None:
    """Raise the soft limit of descriptors to the hard one."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def descriptors() -> int:
    """Return the limit of descriptors; -1 if unlimited."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
