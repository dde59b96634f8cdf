"""Who owns the database: a lock held for the life of the process.

Theory
------
The lock is a `flock` on a file beside the database, so it follows the database and not the runtime
folder: two daemons with different sockets still cannot own one database. The kernel releases it when
the process dies, however it dies; the file is never removed, because removing it is how two
processes come to hold two locks of one name. No pid written anywhere has authority.
"""

import fcntl
import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from palimp_daemon.config import Config


class AlreadyOwnedError(Exception):
    """Another process owns this database."""


@contextmanager
def own_database(config: Config) -> Generator[None, None, None]:
    """Hold the lock of *config*'s database.

    Raises:
        AlreadyOwnedError: another process holds it.
    """
    _make_private_folder(config.database.parent)
    lock = os.open(config.lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyOwnedError(f"Another palimpd owns {config.database}{_listening_at(config.address)}.") from None
        yield
    finally:
        os.close(lock)


def publish_address(config: Config) -> None:
    """Write where this owner listens, in one step, for clients with another runtime folder."""
    partial = config.address.with_suffix(".partial")
    partial.write_text(f"{config.socket}\n", encoding="utf-8")
    partial.replace(config.address)


def _make_private_folder(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_mode & 0o077:
        folder.chmod(0o700)


def _listening_at(address: Path) -> str:
    try:
        return f" and listens at {address.read_text(encoding='utf-8').strip()}"
    except OSError:
        return ""
