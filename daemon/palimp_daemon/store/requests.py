"""SQL of the table `requests`: which writes were applied, and what was answered.

A client that lost its connection sends a request again with the same id. The id is stored in the
transaction of the write itself, so either both are there or neither is.
"""

from palimp_daemon.sql import value
from palimp_daemon.store.store import Store
from palimp_protocol.limits import REQUEST_MEMORY_S


def remembered_reply(store: Store, request_id: bytes) -> bytes | None:
    """Return the encoded reply that *request_id* got, or None when it was not applied."""
    return value(store.connection, "SELECT reply FROM requests WHERE id = ?", (request_id,))


def remember_reply(store: Store, request_id: bytes, reply: bytes, now_ms: int) -> None:
    """Remember that *request_id* was applied and answered with *reply*."""
    store.connection.execute(
        "INSERT INTO requests (id, reply, created_at) VALUES (?, ?, ?)", (request_id, reply, now_ms)
    )


def forget_old_replies(store: Store, now_ms: int) -> None:
    """Drop requests that no client can still be resending."""
    store.connection.execute("DELETE FROM requests WHERE created_at < ?", (now_ms - int(REQUEST_MEMORY_S * 1000),))
