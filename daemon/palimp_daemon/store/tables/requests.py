"""SQL of `requests`: replies to applied writes, for clients that resend.

An id is stored in the transaction of its write.
"""

from collections.abc import Sequence

from palimp_daemon.runtime.sql import insert_rows
from palimp_daemon.store.store import Store
from palimp_protocol.limits import REQUEST_MEMORY_S


def remembered_reply(store: Store, request_id: bytes) -> bytes | None:
    """Return the encoded reply to *request_id*; None if not applied."""
    return store.value("SELECT reply FROM requests WHERE id = ?", (request_id,))


def remember_replies(store: Store, replies: Sequence[tuple[bytes, bytes, int]]) -> None:
    """Remember *replies*: request id, reply, Unix milliseconds."""
    if replies:
        insert_rows(store.connection, "requests (id, reply, created_at)", replies)


def forget_old_replies(store: Store, now_ms: int) -> None:
    """Drop requests too old to be resent."""
    store.execute("DELETE FROM requests WHERE created_at < ?", (now_ms - int(REQUEST_MEMORY_S * 1000),))
