"""What the kernel is to allow this process: no core dumps, and as many descriptors as it may have.

A core is everybody's memories on the disk, in the clear. And libzmq ends the process when it cannot accept a connection
for want of a descriptor (ipc_listener.cpp), so the bound of 1,024 that shells set is lifted to what the user may have;
server/connection_limit.py is for where that is little, too.
"""

import ctypes
import resource
import sys
from typing import Final

PR_SET_DUMPABLE: Final = 4
"""prctl(2): without it there is no core, and other processes of the user cannot attach or look into /proc/PID/mem."""


def forbid_core_dumps() -> None:
    """Have the kernel write no core of this process, and let nobody but root look into it."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def allow_descriptors() -> None:
    """Let this process have as many descriptors as its user may."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def descriptors() -> int:
    """Return how many descriptors this process may have; -1: any number."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
