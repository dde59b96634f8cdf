"""File locks by `flock`, which the kernel releases however a holder ends."""

import contextlib
import fcntl
import os
from collections.abc import Generator

StrPath = str | os.PathLike[str]

LOCKS = "/proc/locks"
"""The kernel's list of locks (proc(5)); Linux only."""

MOUNTS = "/proc/self/mountinfo"

NO_LOCKS = "files cannot be locked on its disk"
"""The case on NFS without a lock daemon, where two daemons could write one database."""


def take(path: StrPath) -> int | None:
    """Create *path* and return a descriptor with its lock; None: another holds it.

    Raises:
        OSError: the file cannot be made, or its file system has no locks.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    except OSError as error:
        os.close(descriptor)
        raise OSError(error.errno, f"{NO_LOCKS} ({error.strerror})", path) from None
    return descriptor


def take_in_own_folder(path: StrPath) -> int | None:
    """Lock *path* as `take`; replace another user's file unless it is held.

    The folder's lock keeps two processes from replacing it at once.

    Raises:
        OSError: the file cannot be made, or is another user's and held.
    """
    try:
        return take(path)
    except PermissionError:
        folder = os.open(os.path.dirname(path) or ".", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        is_foreign = os.lstat(path).st_uid != os.geteuid()
        if is_foreign and os.access(LOCKS, os.R_OK) and not holders(path):
            os.unlink(path)
        return take(path)
    finally:
        os.close(folder)


def release(descriptor: int) -> None:
    """Release the lock that *descriptor* holds."""
    os.close(descriptor)


def is_held(path: StrPath) -> bool:
    """Tell whether any process holds *path*'s lock."""
    if not os.path.exists(path):
        return False
    descriptor = take(path)
    if descriptor is None:
        return True
    release(descriptor)
    return False


@contextlib.contextmanager
def shared_folder(path: StrPath) -> Generator[None, None, None]:
    """Make a folder that several may use; the last to leave removes it if empty.

    Raises:
        OSError: it cannot be made or opened.
    """
    held = -1
    while held < 0:
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, mode=0o700)
        with contextlib.suppress(FileNotFoundError):  # somebody removed it between the two
            held = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
            fcntl.flock(held, fcntl.LOCK_SH)
            if not os.path.exists(path) or not os.path.samestat(os.fstat(held), os.stat(path)):
                os.close(held)
                held = -1
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # others are in it, or it is not empty
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.rmdir(path)
        os.close(held)


def holders(path: StrPath) -> list[int]:
    """Return the processes that hold *path*'s lock, by /proc/locks, if any."""
    # The kernel gives the list a page at a time. Where locks are taken and released meanwhile, a line may come twice,
    # or not at all.
    return _listed_holders(path) or _listed_holders(path)


def _listed_holders(path: StrPath) -> list[int]:
    try:
        at = os.stat(path)
        with open(LOCKS, encoding="ascii") as file:
            lines = file.readlines()
    except OSError:
        return []
    disk = f"{os.major(at.st_dev):02x}:{os.minor(at.st_dev):02x}"
    found: dict[int, None] = {}
    for line in lines:
        # "1: FLOCK  ADVISORY  WRITE 4321 fe:00:1234 0 EOF"; a waiter's line has an arrow in it.
        fields = line.split()
        if len(fields) != 8 or fields[1] != "FLOCK":
            continue
        pid, (device, _, number) = int(fields[4]), fields[5].rpartition(":")
        if pid > 0 and int(number) == at.st_ino and (device == disk or _may_be_ours(at, device, pid)):
            found[pid] = None
    return list(found)


def _may_be_ours(at: os.stat_result, device: str, pid: int) -> bool:
    """Tell whether *device* may be the file's: btrfs has one mounted nowhere; then *pid* must be ours."""
    try:
        with open(MOUNTS, encoding="utf-8", errors="replace") as file:
            mounted = {line.split()[2] for line in file}
        if f"{os.major(at.st_dev)}:{os.minor(at.st_dev)}" in mounted or not device.startswith("00:"):
            return False
        with open(f"/proc/{pid}/cmdline", "rb") as file:
            return b"palimp" in file.read()
    except OSError:
        return False
