"""No core dumps: what a crash would write to the disk is everybody's memories, in the clear."""

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
