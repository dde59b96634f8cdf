"""Puts a disk that can fail, and that is written down, under the daemon, and turns its clock.

Python imports this first where it is found.

A test puts this folder on PYTHONPATH and says in the environment what it wants; see `disks`. Other processes than the
daemon are left as they are. Everything goes through SQLite's own interface to the disk, as apsw offers it.
"""

import mmap
import os
import struct
import sys
import time
from pathlib import Path

if os.environ.get("DISK_CONTROL") and any("palimp_daemon" in each or "palimpd" in each for each in sys.orig_argv):
    import apsw

    from palimp_daemon.store import sqlite_connection as palimp_connection

    BASE = "unix"
    READ, WRITE, SYNC = 1, 2, 4
    CONTROL = struct.Struct("<BBHiQ")  # operations that fail, how, once only, after how many, how many there were
    CLOCK = struct.Struct("<q")  # milliseconds that the time of day is ahead
    RECORD = struct.Struct("<cHQI")  # what, which file, where, bytes that follow

    with Path(os.environ["DISK_CONTROL"]).open("r+b") as file:
        control = mmap.mmap(file.fileno(), 0)
    trace = -1
    if os.environ.get("DISK_TRACE"):
        trace = os.open(os.environ["DISK_TRACE"], os.O_WRONLY | os.O_APPEND)
    numbers: dict[str, int] = {}

    def pass_or_fail(operation: int) -> None:
        """Count *operation*; raise what the disk is to say."""
        failing, how, is_once, left, count = CONTROL.unpack_from(control)
        if not failing & operation:
            CONTROL.pack_into(control, 0, failing, how, is_once, left, count + 1)
            return
        CONTROL.pack_into(control, 0, 0 if left <= 0 and is_once else failing, how, is_once, left - 1, count + 1)
        if left > 0:
            return
        if how == ord("F"):
            raise apsw.FullError("the disk is full")
        codes = {READ: apsw.SQLITE_IOERR_READ, WRITE: apsw.SQLITE_IOERR_WRITE, SYNC: apsw.SQLITE_IOERR_FSYNC}
        raise apsw.exception_for(codes[operation])

    def record(what: bytes, name: str, at: int = 0, data: bytes = b"") -> None:
        """Write down what happened to the file *name*."""
        if trace < 0:
            return
        if name not in numbers:
            numbers[name] = len(numbers)
            path = os.fsencode(name)
            os.write(trace, RECORD.pack(b"N", numbers[name], 0, len(path)) + path)
        os.write(trace, RECORD.pack(what, numbers[name], at, len(data)) + data)

    class DiskFile(apsw.VFSFile):
        """A file of that disk."""

        def __init__(self, name, flags) -> None:
            super().__init__(BASE, name, flags)
            self.name = name.filename() if isinstance(name, apsw.URIFilename) else (name or "temporary")
            if flags[0] & apsw.SQLITE_OPEN_CREATE:
                record(b"O", self.name)

        def xRead(self, amount, offset):  # noqa: N802  SQLite's names
            pass_or_fail(READ)
            return super().xRead(amount, offset)

        def xWrite(self, data, offset):  # noqa: N802
            pass_or_fail(WRITE)
            super().xWrite(data, offset)
            record(b"W", self.name, offset, bytes(data))

        def xTruncate(self, size):  # noqa: N802
            pass_or_fail(WRITE)
            super().xTruncate(size)
            record(b"T", self.name, size)

        def xSync(self, flags):  # noqa: N802
            pass_or_fail(SYNC)
            super().xSync(flags)
            record(b"S", self.name)

    class Disk(apsw.VFS):
        """The disk, in the place of the usual one."""

        def __init__(self) -> None:
            super().__init__("spoiled", BASE, makedefault=True)

        def xOpen(self, name, flags):  # noqa: N802
            return DiskFile(name, flags)

        def xDelete(self, name, is_synced):  # noqa: N802
            super().xDelete(name, is_synced)
            record(b"D", name, int(is_synced))

    disk = Disk()
    configure = palimp_connection._configure
    rename = os.rename

    def configure_and_spoil(connection) -> None:
        """Do what the daemon does, and then what the test wants instead."""
        configure(connection)
        for pragma in filter(None, os.environ.get("DISK_PRAGMAS", "").split(";")):
            connection.execute(f"PRAGMA {pragma}").fetchall()

    def recorded_rename(old, new, **options) -> None:
        """Rename, and write it down."""
        rename(old, new, **options)
        record(b"R", os.fspath(old), 0, os.fsencode(new))

    time_ns = time.time_ns

    def turned_time_ns() -> int:
        """Return the time of day that the test wants; as Python's own, which has 64 bits for it."""
        turned_ns = time_ns() + CLOCK.unpack_from(control, CONTROL.size)[0] * 1_000_000
        if turned_ns >= 2**63:
            raise OverflowError("timestamp too large to convert to C _PyTime_t")
        return turned_ns

    time.time_ns = turned_time_ns
    palimp_connection._configure = configure_and_spoil
    os.rename = os.replace = recorded_rename
