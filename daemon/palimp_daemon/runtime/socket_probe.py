"""Probe a Unix socket for a listener."""

import socket
from pathlib import Path
from typing import Final

PROBE_S: Final = 0.5
"""Seconds to connect: a listener accepts in time unless its backlog is full."""


def is_listened_at(path: Path) -> bool:
    """Tell whether a process accepts connections at *path*."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        probe.settimeout(PROBE_S)
        try:
            probe.connect(str(path))
        except (OSError, ValueError) as error:  # ValueError: what was written down is no path
            return isinstance(error, TimeoutError | BlockingIOError)  # its backlog is full
    return True
