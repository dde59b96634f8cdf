"""Reserve room for a full disk: a database writes a log before it deletes.

A write on a full disk removes the file; until it is back, only operations that free room run.
"""

import errno
import os
from contextlib import suppress
from pathlib import Path
from typing import Final

RESERVE_BYTES: Final = 2 * 1024 * 1024
"""Enough for some hundred purges."""


_NO_FILE: Final = (errno.EISDIR, errno.ELOOP, errno.ENXIO)
"""Errors of what is in its place and is no file: they say nothing of the disk's room."""


class Ballast:
    """The file beside the *database*."""

    def __init__(self, database: Path) -> None:
        self.path = database.with_suffix(".reserve")
        self._is_held = False

    def hold(self) -> bool:
        """Reserve the room; False on a full disk."""
        if not self._is_held:
            try:
                file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
                try:
                    os.posix_fallocate(file, 0, RESERVE_BYTES)
                finally:
                    os.close(file)
            except OSError as error:
                self.release()
                return error.errno in _NO_FILE
            self._is_held = True
        return True

    def release(self) -> None:
        """Remove the file, except on a read-only disk."""
        self._is_held = False
        with suppress(OSError):
            self.path.unlink()
