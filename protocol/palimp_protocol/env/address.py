"""Where the owner of a state folder listens, written so that it is valid in that folder only.

Theory
------
The file is for clients with another runtime folder than the daemon's. A state folder may be copied with everything that
is in it; the copy's file then names the daemon of the original. So the second line is the identity of the database's
lock file: device and inode, which a copy does not share, and which stay when the folder is moved, linked to, or
mounted a second time. The same identity travels in requests, so that a daemon that listens where another one did
refuses what is meant for that one's store.
"""

import os

from palimp_protocol.env import file_lock, paths
from palimp_protocol.limits import PATH_CHARACTERS_MAX

StrPath = str | os.PathLike[str]

_BYTES_MAX = PATH_CHARACTERS_MAX + 64
"""A path, a line feed, and two numbers."""


def identity_of(lock: StrPath) -> str:
    """Return what tells the store with the lock file *lock* from every other on this machine; empty: there is none."""
    try:
        at = os.stat(lock)
    except OSError:
        return ""
    return f"{at.st_dev}:{at.st_ino}"


def identity_for(env: paths.Environment) -> str:
    """Return the identity of the store that *env* means, to be sent; empty where that cannot be known.

    Whoever names a socket (PALIMP_SOCKET) means who listens there, perhaps out of a container with other folders.
    """
    return "" if env.get("PALIMP_SOCKET") else identity_of(paths.lock_path(env))


def address_bytes(socket: StrPath, lock: StrPath) -> bytes:
    """Return what the owner of *lock* writes down, which listens at *socket*."""
    return os.fsencode(socket) + b"\n" + identity_of(lock).encode() + b"\n"


def written_address(env: paths.Environment) -> str | None:
    """Return the socket that the owner of the store of *env* wrote down; None: nobody did, or it was for another store.

    Daemons before 0.3 wrote no identity; theirs counts while somebody holds the lock.
    """
    lock = paths.lock_path(env)
    try:
        with open(paths.address_path(env), "rb") as file:
            lines = file.read(_BYTES_MAX).split(b"\n")
    except OSError:
        return None
    path, identity = os.fsdecode(lines[0]).strip(), lines[1].decode("ascii", "replace") if len(lines) > 1 else ""
    if not path or "\0" in path:
        return None
    if identity:
        return path if identity == identity_of(lock) else None
    return path if _is_held(lock) else None


def _is_held(lock: StrPath) -> bool:
    try:
        return file_lock.is_held(lock)
    except OSError:
        return False
