"""Sums of memories: a row whose text was altered, or that is gone, is noticed though every page is well formed.

Theory
------
SQLite's `integrity_check` sees broken structure. It does not see a flipped bit in a text, nor a row that is missing
from a page which lost its end. So each memory has a sum of all that a user may see of it, kept by triggers in the
write's own transaction, in a table of its own. Either table alone may be damaged; both in the same way, hardly.
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
"""The columns of `memories` that a sum covers, in the order in which the triggers name them."""

_INNOCUOUS: Final = 0x200000
"""SQLITE_INNOCUOUS (sqlite.org/c3ref/c_deterministic.html): may be used in triggers of a schema that is not trusted."""


def memory_sum(*values: object) -> int:
    """Return the sum of a memory's *values*: eight bytes, as SQLite's integers are."""
    digest = hashlib.blake2b(msgspec.msgpack.encode(values), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def register_sum(connection: apsw.Connection) -> None:
    """Make `palimp_sum` known to *connection*; without it nobody writes memories."""
    connection.create_scalar_function(
        "palimp_sum", cast("Any", memory_sum), len(SUMMED), deterministic=True, flags=_INNOCUOUS
    )


def altered_memories(connection: apsw.Connection, after: int, up_to: int) -> list[int]:
    """Return the numbers over *after*, up to *up_to*, of memories that are not what was saved, or are gone.

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
