"""Files whose locks say who does what: the owner of the database, and who starts a daemon.

`flock`: the kernel releases it when its holder ends, however it ends, and it is the holder's wherever the file is
reached from. A system without it needs another version of this module, and of nothing else.
"""

import contextlib
import fcntl
import os
from pathlib import Path

LOCKS = Path("/proc/locks")
"""What the kernel says of locks (proc(5)); Linux only."""


def take(path: Path) -> int | None:
    """Return a descriptor that holds the lock of the file at *path*, which is made; None when another holds it.

    Raises:
        OSError: the file cannot be made.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def release(descriptor: int) -> None:
    """Give up the lock that *descriptor* holds."""
    os.close(descriptor)


def is_held(path: Path) -> bool:
    """Tell whether somebody holds the lock of the file at *path*."""
    if not path.exists():
        return False
    descriptor = take(path)
    if descriptor is None:
        return True
    release(descriptor)
    return False


def holders(path: Path) -> list[int]:
    """Return the processes that hold the lock of the file at *path*, as the kernel lists them; none where it does not.

    No pid that is written anywhere has authority; this one does.
    """
    try:
        at = path.stat()
        lines = LOCKS.read_text(encoding="ascii").splitlines()
    except OSError:
        return []
    found: list[int] = []
    for line in lines:
        # "1: FLOCK  ADVISORY  WRITE 4321 fe:00:1234 0 EOF"; a waiter's line has an arrow in it.
        fields = line.split()
        if len(fields) == 8 and fields[1] == "FLOCK" and fields[5].endswith(f":{at.st_ino}"):
            found.append(int(fields[4]))
    return [pid for pid in found if pid > 0 and _has_open(pid, at)]


def _has_open(pid: int, at: os.stat_result) -> bool:
    """Tell whether process *pid* has the file *at* open: the number of an inode is another file's on another disk.

    The number of the disk would not do: what the kernel lists and what stat says of it differ on btrfs.
    """
    try:
        opened = list(Path(f"/proc/{pid}/fd").iterdir())
    except OSError:  # it has ended, or is another user's
        return False
    for each in opened:
        with contextlib.suppress(OSError):  # closed meanwhile
            if os.path.samestat(each.stat(), at):
                return True
    return False
