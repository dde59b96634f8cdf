"""Checksum memories: `integrity_check` misses a flipped bit in a text, and rows of a truncated page.

Triggers keep the sums, in the write's transaction.
"""

import hashlib
from typing import Any, Final, cast

import apsw
import msgspec

from palimp_daemon.runtime.sql import rows

SUMMED: Final = (
    "id",
    "project_id",
    "title",
    "content",
    "tags",
    "kind",
    "source",
    "created_at",
    "deleted_at",
    "superseded_by",
    "quote",
)
"""Columns of `memories` covered by a sum, in the triggers' order."""

_INNOCUOUS: Final = 0x200000
"""SQLITE_INNOCUOUS (sqlite.org/c3ref/c_deterministic.html): allowed in untrusted schemas' triggers."""


def memory_sum(*values: object) -> int:
    """Return the checksum of *values* as SQLite's eight-byte integer."""
    digest = hashlib.blake2b(msgspec.msgpack.encode(values), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def register_sum(connection: apsw.Connection) -> None:
    """Register `palimp_sum`, without which memories cannot be written."""
    connection.create_scalar_function(
        "palimp_sum", cast("Any", memory_sum), len(SUMMED), deterministic=True, flags=_INNOCUOUS
    )


def altered_memories(connection: apsw.Connection, after: int, up_to: int) -> list[int]:
    """Return the memories in (*after*, *up_to*] with a wrong sum, or missing.

    Raises:
        apsw.CorruptError: their pages cannot be read, or a text is not UTF-8.
    """
    columns = ", ".join(f"m.{column}" for column in SUMMED)
    between = (after, up_to)
    altered = rows(
        connection,
        f"SELECT m.seq FROM memories m LEFT JOIN sums s ON s.seq = m.seq"
        f" WHERE m.seq > ? AND m.seq <= ? AND s.sum IS NOT palimp_sum({columns})",
        between,
    )
    gone = rows(
        connection,
        "SELECT s.seq FROM sums s LEFT JOIN memories m ON m.seq = s.seq"
        " WHERE s.seq > ? AND s.seq <= ? AND m.seq IS NULL",
        between,
    )
    return sorted(seq for (seq,) in altered + gone)
