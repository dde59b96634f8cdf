"""Remember the page in use, so that the next daemon serves it to the same browsers.

The file has the port, the last use, and hashes of cookies: it admits nobody by itself. It is void after UNUSED_S, when
the page would be closed.
"""

import os
import stat
from pathlib import Path
from typing import Final

import msgspec

from palimp_daemon.runtime.files import replace_file
from palimp_protocol.env.used_page import UsedPage, read_used_page

_ENCODER: Final = msgspec.json.Encoder()


class KeptPage:
    """The file at *path*."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self, now_ms: int) -> UsedPage | None:
        """Return the page as last used; None if never, too long ago, or unreadable."""
        if self._is_ours() and (used := read_used_page(self._path, now_ms)):
            return used
        self.forget()
        return None

    def _is_ours(self) -> bool:
        try:
            at = self._path.lstat()
        except OSError:
            return False
        return at.st_uid == os.getuid() and not stat.S_IMODE(at.st_mode) & 0o077

    def keep(self, used: UsedPage) -> None:
        """Remember *used*; on a full disk forget the page."""
        try:
            replace_file(self._path, _ENCODER.encode(used), 0o600)
        except OSError:
            self.forget()

    def forget(self) -> None:
        """Forget the page."""
        try:
            self._path.unlink(missing_ok=True)
        except OSError:  # a folder that cannot be written: it is read as it is, until its time is over
            return
