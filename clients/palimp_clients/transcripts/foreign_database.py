"""Read another program's database, leaving nothing beside it; a busy one is read the next time.

Without a write-ahead log it is read as immutable, since SQLite would leave a log; a write meanwhile voids the result.
"""

import os
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

import apsw

from palimp_clients.transcripts.slices import unreadable

SESSION: Final = "#"
"""Separates a database's path from a session's id."""

BUSY_MS: Final = 500
"""Milliseconds to wait for a locked database: a client's own transactions are shorter."""


class Unreadable(Exception):  # noqa: N818  it is a sentence for a person, and no mistake of ours
    """Why a session cannot be read now."""


@contextmanager
def open_read_only(database: str) -> Generator[apsw.Connection, None, None]:
    """Open *database* read-only.

    Raises:
        Unreadable: it is no database, or of another form, or busy.
    """
    try:
        before = _state(database)
        has_log = any(_bytes_in(f"{database}{ending}") for ending in ("-wal", "-journal"))
        uri = f"file:{quote(os.fsencode(database))}?mode=ro{'' if has_log else '&immutable=1'}"
        connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        try:
            connection.set_busy_timeout(BUSY_MS)
            yield connection
        finally:
            connection.close()
        if not has_log and _state(database) != before:
            raise apsw.BusyError
    except (apsw.BusyError, apsw.LockedError):
        raise Unreadable(f"{database!r} is being written by its client; it is read the next time.") from None
    except (apsw.Error, OSError, UnicodeError, ValueError) as error:
        raise Unreadable(unreadable(database, error)) from None


def _state(database: str) -> tuple[int, int, int]:
    state = Path(database).stat()
    return state.st_ino, state.st_size, state.st_mtime_ns


def _bytes_in(path: str) -> int:
    try:
        return Path(path).stat().st_size
    except OSError:
        return 0
