"""Folders that only their user may enter: ours are made so, anybody else's is left as it is.

PALIMP_HOME and PALIMP_SOCKET may lie anywhere, in `/tmp` or in the user's home folder, too. What lies there is private
by its own mode; to close the folder would lock others out of what is theirs. So a folder is closed only if it holds
nothing but what is palimp's, and refused if others could take our files out of it.
"""

import stat
from pathlib import Path

from palimp_protocol.env.paths import is_own_name


class OpenFolderError(Exception):
    """Others may take files out of a folder that is not ours to close; the text says what to do."""


def make_private(folder: Path) -> None:
    """Make *folder*, private to its user, or see to it that it is safe to be in.

    Raises:
        OSError: it cannot be made, or not be closed.
        OpenFolderError: others may write in it, and it holds more than what is ours.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    mode = folder.stat().st_mode
    if not mode & 0o077:
        return
    if all(is_own_name(path.name) for path in folder.iterdir()):
        folder.chmod(0o700)
    elif mode & 0o022 and not mode & stat.S_ISVTX:  # in a sticky folder nobody removes what is not theirs
        raise OpenFolderError(f"Others may write in {folder}. Run: chmod go-w {folder}")
