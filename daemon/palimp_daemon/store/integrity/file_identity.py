"""Check by device and inode, before acknowledging, that a path is still the opened file.

A moved database goes on taking writes that no later daemon sees.
"""

from pathlib import Path

from palimp_protocol.errors import ErrorCode, PalimpError

Place = tuple[int, int]
"""Device and inode of a file."""


def place_of(path: Path) -> Place | None:
    """Return device and inode of the file, links followed; None if missing.

    Raises:
        OSError: that cannot be told, such as in a folder that was closed to us.
    """
    try:
        at = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return at.st_dev, at.st_ino


def loss_of(path: Path, opened: Place) -> PalimpError | None:
    """Return an error if *path* is known to be another file than *opened*."""
    try:
        now = place_of(path)
    except OSError:
        return None
    if now == opened:
        return None
    what = "is gone from its place" if now is None else "was replaced"
    return PalimpError(
        ErrorCode.STORE_UNAVAILABLE,
        f"{path} {what} while palimp had it open. Nothing more is stored, since it would be lost.",
        "Put it back where it was (a copy needs its -wal beside it), then `palimp stop`.",
    )
