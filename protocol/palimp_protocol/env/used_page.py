"""The file with the page's last use, for the daemon's successor and terminals' links."""

from pathlib import Path
from typing import Annotated, Final

import msgspec
from msgspec import Meta, Struct

from palimp_protocol.decoders import decoder_of
from palimp_protocol.env.page_address import UNUSED_S
from palimp_protocol.env.plain_files import open_plain

BYTES_MAX: Final = 64 * 1024
"""Bytes of the file: some browsers with 300 each."""


class KnownBrowser(Struct, frozen=True, kw_only=True):
    """A browser that was let in."""

    cookie_hash: str
    form_token: str
    zone: str


class UsedPage(Struct, frozen=True, kw_only=True):
    """The page as last used."""

    port: Annotated[int, Meta(ge=1, le=65_535)]
    used_at: int
    """In Unix milliseconds."""
    browsers: list[KnownBrowser]

    def unused_s(self, now_ms: int) -> float:
        """Return the seconds since its last use."""
        return (now_ms - self.used_at) / 1000


def read_used_page(path: Path, now_ms: int) -> UsedPage | None:
    """Return the page in *path*; None: unreadable, or closed by now."""
    try:
        with open_plain(path, follows_links=False) as file:
            used = decoder_of(UsedPage).decode(file.read(BYTES_MAX))
    except (OSError, msgspec.MsgspecError):
        return None
    return used if 0 <= used.unused_s(now_ms) < UNUSED_S else None
