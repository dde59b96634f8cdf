"""Who owns the database: a lock held for the life of the process.

Theory
------
The lock is a `flock` on a file beside the database, so it follows the database and not the runtime
folder: two daemons with different sockets still cannot own one database. The kernel releases it when
the process dies, however it dies; the file is never removed, because removing it is how two
processes come to hold two locks of one name. No pid written anywhere has authority.
"""

import contextlib
import os
import select
import signal
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from palimp_daemon.config import Config
from palimp_daemon.private_folders import OpenFolderError, make_private
from palimp_protocol import file_lock

TAKE_OVER_S: Final = 10.0
"""Seconds that another owner is given to finish what it is doing; it promises 5."""


class AlreadyOwnedError(Exception):
    """Another process owns this database."""


class FolderError(Exception):
    """The folder of the database cannot be used; the text says why and what to do."""


@contextmanager
def own_database(config: Config, *, takes_over: bool = False) -> Generator[None, None, None]:
    """Hold the lock of *config*'s database. With *takes_over* another owner is asked to end, and waited for.

    A daemon that the service manager started has the socket that clients dial; one that a client had started before
    has the database. Neither could serve anybody.

    Raises:
        AlreadyOwnedError: another process holds it.
        FolderError: there can be no lock.
    """
    try:
        make_private(config.database.parent)
        lock = file_lock.take(config.lock)
    except OpenFolderError as error:
        raise FolderError(str(error)) from None
    except OSError as error:
        text = f"{config.database.parent} cannot be used: {error.strerror}. Set PALIMP_HOME to a folder of yours."
        raise FolderError(text) from None
    if lock is None and takes_over:
        lock = _taken_over(config.lock)
    if lock is None:
        raise AlreadyOwnedError(f"Another palimpd owns {config.database}{_listening_at(config.address)}.")
    try:
        yield
    finally:
        file_lock.release(lock)


def _taken_over(path: Path) -> int | None:
    """Return the lock at *path* once its holders have ended; None when they do not."""
    for pid in file_lock.holders(path):
        with contextlib.suppress(OSError):  # it has ended by itself
            process = os.pidfd_open(pid)
            try:
                signal.pidfd_send_signal(process, signal.SIGTERM)
                select.select([process], [], [], TAKE_OVER_S)
            finally:
                os.close(process)
    return file_lock.take(path)


def publish_address(config: Config) -> None:
    """Write where this owner listens, in one step, for clients with another runtime folder.

    On a full disk those do not find it; that is no reason to serve nobody.
    """
    partial = config.address.with_suffix(".partial")
    try:
        partial.write_text(f"{config.socket}\n", encoding="utf-8")
        partial.replace(config.address)
    except OSError:
        partial.unlink(missing_ok=True)


def _listening_at(address: Path) -> str:
    try:
        return f" and listens at {address.read_text(encoding='utf-8').strip()}"
    except OSError:
        return ""
