"""Room that is kept for a full disk: a file that is let go of so that what makes room can still be done.

Theory
------
On a full disk nothing can be deleted either: a database writes a log before it deletes. So some room is taken while
there is any. When a write finds the disk full, the file is let go of, and only what makes room is done with what
that frees; everything else is refused until the file can be made again, which is tried before each group of writes.
"""

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

RESERVE_BYTES: Final = 2 * 1024 * 1024
"""Some hundred purges; nobody misses it."""


class Ballast:
    """The file beside the *database*."""

    def __init__(self, database: Path) -> None:
        self.path = database.with_suffix(".reserve")
        self._is_held = False

    def hold(self) -> bool:
        """Take the room if it is not taken; return whether it is."""
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
        """Let go of the room, if the file can be removed: on a disk that is read-only it cannot."""
        self._is_held = False
        with suppress(OSError):
            self.path.unlink()
