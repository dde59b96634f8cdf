"""Set kernel limits of this process: no core dumps (memories in the clear), and as many descriptors as allowed.

libzmq ends the process when it cannot accept a connection for want of a descriptor (ipc_listener.cpp);
server/connection_limit.py guards where the hard limit is low, too.
"""

import ctypes
import resource
import sys
from typing import Final

PR_SET_DUMPABLE: Final = 4
"""prctl(2): without it there is no core, and other processes of the user cannot attach or look into /proc/PID/mem."""


def forbid_core_dumps() -> None:
    """Forbid core dumps of this process, and access to its memory by others than root."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)


def allow_descriptors() -> None:
    """Raise the soft limit of descriptors to the hard one."""
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def descriptors() -> int:
    """Return the limit of descriptors; -1: unlimited."""
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
