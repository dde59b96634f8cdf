"""Files that somebody else can write: read within a bound, and only if they are plain ones."""

import errno
import os
import stat
from pathlib import Path
from typing import Final

OPEN_DESCRIPTORS: Final = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")
"""Where a shell names what it has opened for a command, as in `palimp capture <(pbpaste)`."""


def is_open_descriptor(path: str) -> bool:
    """Tell whether *path* names what the shell has opened for this command, which may be a pipe."""
    return path.startswith(OPEN_DESCRIPTORS)


def read_bounded(path: Path, bytes_max: int) -> bytes:
    """Return the bytes of the plain file at *path*; never more than one beyond *bytes_max* is read.

    A named pipe is not waited for, and no device is read.

    Raises:
        OSError: it cannot be opened, is no plain file, or has more: EFBIG.
    """
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    with os.fdopen(descriptor, "rb") as stream:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is no plain file")
        data = stream.read(bytes_max + 1) if status.st_size <= bytes_max else b""
    if status.st_size > bytes_max or len(data) > bytes_max:
        raise OSError(errno.EFBIG, f"it has more than {bytes_max:,} bytes")
    return data
