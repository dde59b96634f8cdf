"""Own the database by a `flock`, which the kernel releases, on a file beside it.

The file is never removed, lest two processes lock two files of one name.
"""

import contextlib
import os
import select
import signal
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from palimp_daemon.runtime.private_dirs import OpenFolderError, make_private
from palimp_daemon.runtime.socket_probe import is_listened_at
from palimp_daemon.settings.startup import Config
from palimp_protocol.env import file_lock
from palimp_protocol.env.address import address_bytes, lines_at
from palimp_protocol.env.state_folder import name_of

TAKE_OVER_S: Final = 10.0
"""Seconds that another owner gets to finish; it promises 5."""

LEAVES_S: Final = 2.0
"""Seconds to wait for an owner that stopped listening: it is closing its database, or was killed."""

LOOK_AGAIN_S: Final = 0.02


class AlreadyOwnedError(Exception):
    """Another process owns this database."""


class FolderError(Exception):
    """The database's folder cannot be used; the text has reason and remedy."""


@contextmanager
def own_database(config: Config, *, takes_over: bool = False) -> Generator[None, None, None]:
    """Hold the database's lock; with *takes_over*, an owner without the clients' socket is asked to end.

    Raises:
        AlreadyOwnedError: another process holds it.
        FolderError: there can be no lock.
    """
    try:
        make_private(config.database.parent)
        lock = file_lock.take_in_own_folder(config.lock)
        if lock is None and not takes_over:
            lock = _lock_of_one_that_leaves(config)
    except OpenFolderError as error:
        raise FolderError(str(error)) from None
    except OSError as error:
        raise FolderError(_unusable(config, error)) from None
    if lock is None and takes_over:
        lock = _taken_over(config.lock)
    if lock is None:
        where = f" and listens at {socket}" if (socket := _read_address(config.address)) else ""
        raise AlreadyOwnedError(f"Another palimpd owns {config.database}{where}.")
    try:
        yield
    finally:
        file_lock.release(lock)


def _unusable(config: Config, error: OSError) -> str:
    with contextlib.suppress(OSError):
        if (owner := config.lock.stat().st_uid) != os.getuid():
            name = name_of(owner)
            return f"{config.lock} belongs to {name} (uid {owner}). Run: sudo chown {os.getuid()} {config.lock}"
    return f"{config.database.parent} cannot be used: {error.strerror}. Set PALIMP_HOME to a folder of yours."


def _lock_of_one_that_leaves(config: Config) -> int | None:
    ends_at = time.monotonic() + LEAVES_S
    while not _is_served(config) and time.monotonic() < ends_at:
        time.sleep(LOOK_AGAIN_S)
        if (lock := file_lock.take(config.lock)) is not None:
            return lock
    return None


def _is_served(config: Config) -> bool:
    written = _read_address(config.address)
    return is_listened_at(config.socket) or bool(written and is_listened_at(Path(written)))


def _taken_over(path: Path) -> int | None:
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
    """Write this owner's address for clients with another runtime folder, unless the disk is full."""
    partial = config.address.with_suffix(".partial")
    try:
        partial.write_bytes(address_bytes(config.socket, config.lock))
        partial.replace(config.address)
    except OSError:
        partial.unlink(missing_ok=True)


def _read_address(address: Path) -> str:
    return os.fsdecode(lines_at(address)[0])
