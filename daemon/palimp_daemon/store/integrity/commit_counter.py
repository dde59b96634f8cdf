"""Count committed groups of writes in the database, and in a file beside it.

SQLite opens a lost WAL, an old copy or an empty file without error; a lower count shows lost writes.
"""

import contextlib
import os
import re
from pathlib import Path
from typing import Final, NamedTuple

import apsw

from palimp_daemon.runtime.sql import rows, value
from palimp_protocol.env.plain_files import read_bounded


class CommitCount(NamedTuple):
    """A database's identity, and its number of committed groups."""

    identity: bytes
    commits: int


_LINE: Final = re.compile(r"([0-9a-f]{32}) (\d{20})\n")
_LINE_BYTES: Final = 54


class HighWaterMark:
    """The file with the commit count that the database must have."""

    def __init__(self, database: Path) -> None:
        self.path = database.with_suffix(".mark")

    def read(self) -> CommitCount | None:
        """Read the count; None if missing or malformed."""
        try:
            match = _LINE.fullmatch(read_bounded(self.path, _LINE_BYTES).decode("ascii"))
        except (OSError, UnicodeDecodeError):
            return None
        return CommitCount(bytes.fromhex(match[1]), int(match[2])) if match else None

    def write(self, ledger: CommitCount) -> None:
        """Write *ledger*, which must be durable in the database."""
        # In place and of one length: on a full disk it can still be written. An older mark notices less, no more.
        with contextlib.suppress(OSError):
            file = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
            try:
                os.pwrite(file, f"{ledger.identity.hex()} {ledger.commits:020d}\n".encode(), 0)
            finally:
                os.close(file)


def read_ledger(connection: apsw.Connection) -> CommitCount | None:
    """Return the database's ledger; None for an older schema."""
    if not value(connection, "SELECT count(*) FROM sqlite_schema WHERE name = 'ledger'"):
        return None
    found = rows(connection, "SELECT identity, commits FROM ledger")
    return CommitCount(*found[0]) if found else None


def count_commit(connection: apsw.Connection, known: CommitCount | None) -> CommitCount:
    """Count the running transaction as a group after the *known* ledger."""
    if known is not None:
        connection.execute("UPDATE ledger SET commits = ?", (known.commits + 1,))
        return known._replace(commits=known.commits + 1)
    return CommitCount(*rows(connection, "UPDATE ledger SET commits = commits + 1 RETURNING identity, commits")[0])


def lost_writes(ledger: CommitCount | None, mark: CommitCount | None) -> str:
    """Describe writes that *ledger* lacks by *mark*; empty for none."""
    if mark is None or ledger == mark:
        return ""
    if ledger is None or ledger.identity != mark.identity:
        return f"is another database than the one that was here, which had {mark.commits:,} transactions"
    if ledger.commits < mark.commits:
        return (
            f"lacks the last {mark.commits - ledger.commits:,} of {mark.commits:,} transactions: the file with the"
            " newest ones (-wal) is lost or damaged, or this is an older copy of the database"
        )
    return ""
