"""Reserve room for a full disk, on which nothing can be deleted either: a database writes a log before it deletes.

When a write finds the disk full, the file is removed, and only operations that free room are allowed until it can be
made again, which is tried before each group of writes.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

RESERVE_BYTES: Final = 2 * 1024 * 1024
"""Bytes for some hundred purges."""


class Ballast:
    """The file beside the *database*."""

    def __init__(self, database: Path) -> None:
        self.path = database.with_suffix(".reserve")
        self._is_held = False

    def hold(self) -> bool:
        """Reserve the room if need be; return whether it is reserved."""
        if not self._is_held:
            try:
                file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW, 0o600)
                try:
                    os.posix_fallocate(file, 0, RESERVE_BYTES)
                finally:
                    os.close(file)
            except OSError:
                self.release()
                return False
            self._is_held = True
        return True

    def release(self) -> None:
        """Remove the file, if possible: on a read-only disk it is not."""
        self._is_held = False
        with suppress(OSError):
            self.path.unlink()
