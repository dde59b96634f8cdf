"""Files: opened only if they are plain ones, without waiting; replaced as a whole or not at all.

Opening a named pipe waits for somebody to write to it, for ever, and a device may do anything.
"""

import os
import secrets
import stat
from pathlib import Path
from typing import IO, Final

TEMPORARY: Final = ".palimp-"
"""What the names of unfinished writes begin with."""


def is_gone(path: str) -> bool:
    """Tell whether there is nothing at *path*; what cannot be looked at is not gone."""
    try:
        Path(path).stat()
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False
    return False


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


def replace_file(path: Path, data: bytes, mode: int | None = None) -> None:
    """Write *data* to *path* so that a crash leaves the old file or the new one; *mode* is that of the new one.

    Raises:
        OSError: it cannot be written; the old file is as it was.
    """
    temporary = path.parent / f"{TEMPORARY}{secrets.token_hex(8)}.tmp"
    try:
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
    sync_folder(path.parent)


def sync_folder(path: Path) -> None:
    """Make what was added to and taken out of the folder *path* durable."""
    descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
