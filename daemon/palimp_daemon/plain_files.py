"""Opening files that others may have put there: only plain ones, and without waiting.

Opening a named pipe waits for somebody to write to it, for ever, and a device may do anything.
"""

import os
import stat
from pathlib import Path
from typing import IO


def open_plain(path: Path) -> IO[bytes]:
    """Return the plain file at *path*, opened for reading.

    Raises:
        OSError: it cannot be opened, or is no plain file.
        ValueError: the path has a NUL in it.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    if stat.S_ISREG(os.fstat(descriptor).st_mode):
        return os.fdopen(descriptor, "rb")
    os.close(descriptor)
    raise OSError(f"{path} is no plain file")
