"""Check by device and inode that a path is still the opened file.

A database that was moved away goes on taking writes that no later daemon sees; so this is checked before anything is
acknowledged.
"""

from pathlib import Path

from palimp_protocol.errors import ErrorCode, PalimpError

Place = tuple[int, int]
"""Device and inode of a file."""


def place_of(path: Path) -> Place | None:
    """Return device and inode of the file at *path*, behind links; None if there is none.

    Raises:
        OSError: that cannot be told, such as in a folder that was closed to us.
    """
    try:
        at = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return at.st_dev, at.st_ino


def loss_of(path: Path, opened: Place) -> PalimpError | None:
    """Return an error if *path* is not the *opened* database any more, as far as that can be told."""
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
