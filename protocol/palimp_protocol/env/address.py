"""Where the owner of a state folder listens, written so that it is valid in that folder only.

Theory
------
The file is for clients with another runtime folder than the daemon's. A state folder may be copied with everything that
is in it; the copy's file then names the daemon of the original. So the second line is the identity of the database's
lock file: device and inode, which a copy does not share, and which stay when the folder is moved, linked to, or
mounted a second time. The same identity travels in requests, so that a daemon that listens where another one did
refuses what is meant for that one's store.

A container may share the state folder and not the folder of the socket. So the third line says which mounts the owner
sees: who sees others, and cannot reach the socket, need not wait for it.
"""

import os

from palimp_protocol.env import file_lock, paths
from palimp_protocol.limits import PATH_CHARACTERS_MAX

StrPath = str | os.PathLike[str]

_BYTES_MAX = PATH_CHARACTERS_MAX + 192
"""A path, two numbers, and what tells the mounts, each with a line feed."""

BOOT = "/proc/sys/kernel/random/boot_id"
MOUNT_NAMESPACE = "/proc/self/ns/mnt"
"""What Linux says of this run of the machine, and of the mounts that this process sees (namespaces(7))."""


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
    return os.fsencode(socket) + f"\n{identity_of(lock)}\n{mounts_seen()}\n".encode()


def mounts_seen() -> str:
    """Return what processes have in common that see the same mounts of one machine; empty where that is unknown."""
    try:
        with open(BOOT, encoding="ascii") as file:
            return f"{file.read().strip()} {os.readlink(MOUNT_NAMESPACE)}"
    except OSError:
        return ""


def socket_elsewhere(env: paths.Environment) -> str:
    """Return where an owner of the store of *env* listens that sees other mounts than we; empty: there is none."""
    path, _, mounts = _written_lines(env)
    is_elsewhere = path and mounts not in ("", mounts_seen())
    return path if is_elsewhere and _is_held(paths.lock_path(env)) else ""


def written_address(env: paths.Environment) -> str | None:
    """Return the socket that the owner of the store of *env* wrote down; None: nobody did, or it was for another store.

    Daemons before 0.3 wrote no identity; theirs counts while somebody holds the lock.
    """
    lock = paths.lock_path(env)
    path, identity, _ = _written_lines(env)
    if not path or "\0" in path:
        return None
    if identity:
        return path if identity == identity_of(lock) else None
    return path if _is_held(lock) else None


def _written_lines(env: paths.Environment) -> tuple[str, str, str]:
    """Return what an owner wrote down: its socket, the identity of its store, the mounts it sees; empty: it did not."""
    try:
        with open(paths.address_path(env), "rb") as file:
            lines = file.read(_BYTES_MAX).split(b"\n")
    except OSError:
        return "", "", ""
    identity, mounts, *_ = (line.decode("ascii", "replace") for line in (*lines[1:], b"", b""))
    return os.fsdecode(lines[0]).strip(), identity, mounts


def _is_held(lock: StrPath) -> bool:
    try:
        return file_lock.is_held(lock)
    except OSError:
        return False
