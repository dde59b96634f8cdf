"""Make our folders private to their user, and refuse unsafe ones.

Only a folder with nothing else is made private; one is refused if others could remove our files.
"""

import os
import stat
from pathlib import Path

from palimp_protocol.env.paths import is_own_name


class OpenFolderError(Exception):
    """Others may remove files from a folder not ours to close; the text has the remedy."""


def can_be_made(folder: Path) -> bool:
    """Tell whether *folder* exists, made if need be, and is writable."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK | os.X_OK)


def make_private(folder: Path) -> None:
    """Make *folder*, private to its user, or check that it is safe.

    Raises:
        OSError: it cannot be made, or not be closed.
        OpenFolderError: others may write in it, and it holds files of others.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    mode = folder.stat().st_mode
    if not mode & 0o077:
        return
    if all(is_own_name(path.name) for path in folder.iterdir()):
        folder.chmod(0o700)
    elif mode & 0o022 and not mode & stat.S_ISVTX:  # in a sticky folder nobody removes what is not theirs
        raise OpenFolderError(f"Others may write in {folder}. Run: chmod go-w {folder}")
