"""The file with a store owner's socket, for clients with another runtime folder.

Second line: device and inode of the database's lock, which a copied folder does not share. Third: the owner's mounts.
"""

import os

from palimp_protocol.env import file_lock, paths
from palimp_protocol.limits import PATH_CHARACTERS_MAX

StrPath = str | os.PathLike[str]

_BYTES_MAX = PATH_CHARACTERS_MAX + 192
"""Bytes of a path, two numbers and the mounts' mark, a line each."""

BOOT = "/proc/sys/kernel/random/boot_id"
MOUNT_NAMESPACE = "/proc/self/ns/mnt"
"""Identifies this boot of the machine and the process's mounts (Linux, namespaces(7))."""


def identity_of(lock: StrPath) -> str:
    """Return the store's identity by its *lock* file, or empty."""
    try:
        at = os.stat(lock)
    except OSError:
        return ""
    return f"{at.st_dev}:{at.st_ino}"


def identity_for(env: paths.Environment) -> str:
    """Return *env*'s store identity, or empty: unknown, or PALIMP_SOCKET names a listener."""
    return "" if env.get("PALIMP_SOCKET") else identity_of(paths.lock_path(env))


def address_bytes(socket: StrPath, lock: StrPath) -> bytes:
    """Return the file's content."""
    return os.fsencode(socket) + f"\n{identity_of(lock)}\n{mounts_seen()}\n".encode()


def mounts_seen() -> str:
    """Return an id of the machine's run and of this process's mounts, or empty."""
    try:
        with open(BOOT, encoding="ascii") as file:
            return f"{file.read().strip()} {os.readlink(MOUNT_NAMESPACE)}"
    except OSError:
        return ""


def socket_elsewhere(env: paths.Environment) -> str:
    """Return the socket of an owner that sees other mounts, or empty."""
    path, _, mounts = _written_lines(env)
    is_elsewhere = path and mounts not in ("", mounts_seen())
    return path if is_elsewhere and _is_held(paths.lock_path(env)) else ""


def written_address(env: paths.Environment) -> str | None:
    """Return the socket written by this store's owner; one without an identity counts only while the lock is held."""
    lock = paths.lock_path(env)
    path, identity, _ = _written_lines(env)
    if not path or "\0" in path:
        return None
    if identity:
        return path if identity == identity_of(lock) else None
    return path if _is_held(lock) else None


def _written_lines(env: paths.Environment) -> tuple[str, str, str]:
    place, *lines = lines_at(paths.address_path(env))
    identity, mounts, *_ = (line.decode("ascii", "replace") for line in (*lines, b"", b""))
    return os.fsdecode(place).strip(), identity, mounts


def lines_at(address: StrPath) -> list[bytes]:
    """Return the file's lines, or an empty one."""
    try:
        descriptor = os.open(address, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            return os.read(descriptor, _BYTES_MAX).split(b"\n")
        finally:
            os.close(descriptor)
    except OSError:
        return [b""]


def _is_held(lock: StrPath) -> bool:
    try:
        return file_lock.is_held(lock)
    except OSError:
        return False
