"""Remember that the page was being used, so that the next daemon serves it again to the browsers that were let in.

A file of the user's in the state folder has the port, when the page was used last, and of each browser the hash of its
cookie: nobody gets in by the file alone. Unused for UNUSED_S it is worth nothing, as the page would be closed then.
"""

import os
import stat
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from palimp_daemon.runtime.files import replace_file
from palimp_protocol.decoders import decoder_of
from palimp_protocol.env.page_address import UNUSED_S
from palimp_protocol.env.plain_files import open_plain

BYTES_MAX: Final = 64 * 1024
"""Of the file: some browsers with 300 bytes each."""

_ENCODER: Final = msgspec.json.Encoder()


class KnownBrowser(Struct, frozen=True, kw_only=True):
    """A browser that was let in."""

    cookie_hash: str
    form_token: str
    zone: str


class UsedPage(Struct, frozen=True, kw_only=True):
    """The page as it was used last."""

    port: int
    used_at: int
    """In Unix milliseconds."""
    browsers: list[KnownBrowser]

    def unused_s(self, now_ms: int) -> float:
        """Return for how many seconds it was not used."""
        return (now_ms - self.used_at) / 1000


_DECODER: Final = decoder_of(UsedPage)


class KeptPage:
    """The file at *path*."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self, now_ms: int) -> UsedPage | None:
        """Return the page as it was used last; None, and nothing is kept: never, too long ago, or nobody knows."""
        try:
            at = self._path.lstat()
            is_ours = at.st_uid == os.getuid() and not stat.S_IMODE(at.st_mode) & 0o077
            with open_plain(self._path, follows_links=False) as file:
                used = _DECODER.decode(file.read(BYTES_MAX)) if is_ours else None
        except (OSError, msgspec.MsgspecError):
            used = None
        if used and 0 < used.port < 65_536 and 0 <= used.unused_s(now_ms) < UNUSED_S:
            return used
        self.forget()
        return None

    def keep(self, used: UsedPage) -> None:
        """Remember *used*; on a full disk the next daemon has to be asked for the page."""
        try:
            replace_file(self._path, _ENCODER.encode(used), 0o600)
        except OSError:
            self.forget()

    def forget(self) -> None:
        """Have the next daemon serve nothing before it is asked."""
        try:
            self._path.unlink(missing_ok=True)
        except OSError:  # a folder that cannot be written: it is read as it is, until its time is over
            return
