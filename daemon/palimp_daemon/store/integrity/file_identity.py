"""Is a path still the file that was opened? Compared by device and inode.

Theory
------
A database that was moved away, removed or replaced goes on taking writes, into a file that no later daemon opens. To
the kernel that is no error, so the path is looked at before anything is acknowledged, and now and then besides.
"""

from pathlib import Path

from palimp_protocol.errors import ErrorCode, PalimpError

Place = tuple[int, int]
"""Device and inode of a file."""


def place_of(path: Path) -> Place | None:
    """Return where the file at *path* is, behind links; None when there is none.

    Raises:
        OSError: that cannot be told, such as in a folder that was closed to us.
    """
    try:
        at = path.stat()
    except (FileNotFoundError, NotADirectoryError):
        return None
    return at.st_dev, at.st_ino


def loss_of(path: Path, opened: Place) -> PalimpError | None:
    """Return what is to be said when *path* is not the database any more that was *opened*; None: it is.

    What cannot be told is not called a loss.
    """
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
