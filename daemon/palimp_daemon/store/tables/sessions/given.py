"""SQL of `given`: a record of memories given to sessions unasked.

`injected`, not this, decides whether a session was told.
"""

from collections.abc import Sequence
from typing import NamedTuple

from palimp_daemon.runtime.sql import insert_rows
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.sessions.usage_counts import Amount, add_usage
from palimp_protocol.limits import SESSION_GIVEN_MAX
from palimp_protocol.messages.session_messages import Occasion


class GivenRow(NamedTuple):
    """A memory given to a session; *why* as noted."""

    at: int
    occasion: Occasion
    seq: int
    why: str


class GivenToRow(NamedTuple):
    """A time when a session was given a memory."""

    noted: GivenRow
    session: str
    """The session's key."""
    client: str
    outcome: int
    """As in `usage_counts`."""


class FailureRow(NamedTuple):
    """A failed shell line told to a session before it ran the like."""

    at: int
    command: str


def note_given(store: Store, session: int, occasion: Occasion, given: Sequence[tuple[int, str]], now_ms: int) -> None:
    """Note memories (number, why) *given* to a session; keep SESSION_GIVEN_MAX."""
    if not given:
        return
    last = store.value("SELECT coalesce(max(number), 0) FROM given WHERE session_id = ?", (session,))
    noted = [(session, number, seq, now_ms, occasion, why) for number, (seq, why) in enumerate(given, last + 1)]
    insert_rows(store.connection, "given (session_id, number, seq, at, occasion, why)", noted)
    add_usage(store, session, occasion, Amount(memories=len(given)), now_ms)
    if (over := last + len(given) - SESSION_GIVEN_MAX) > 0:
        store.execute("DELETE FROM given WHERE session_id = ? AND number <= ?", (session, over))


def given_to(store: Store, session: int) -> list[GivenRow]:
    """Return the memories given to the session, oldest first."""
    return store.records(
        GivenRow, "SELECT at, occasion, seq, why FROM given WHERE session_id = ? ORDER BY at, number", (session,)
    )


def sessions_given(store: Store, project: int, seq: int, limit: int) -> list[GivenToRow]:
    """Return the last times that *seq* was given, newest first."""
    found = store.rows(
        # A scan: 100,000 rows, 1,000 sessions of a quarter, take 4 ms, and an index would cost at each prompt.
        "SELECT g.at, g.occasion, g.seq, g.why, s.key, s.client, g.outcome FROM given g"
        " JOIN sessions s ON s.id = g.session_id WHERE g.seq = ? AND s.project_id = ? ORDER BY g.at DESC, s.id LIMIT ?",
        (seq, project, limit),
    )
    return [GivenToRow(GivenRow(*row[:4]), *row[4:]) for row in found]


def count_given(store: Store, project: int, key: str) -> int:
    """Count the distinct memories given to a session."""
    return store.value(
        "SELECT count(DISTINCT g.seq) FROM sessions s JOIN given g ON g.session_id = s.id"
        " WHERE s.project_id = ? AND s.key = ?",
        (project, key),
    )


def failures_told_to(store: Store, session: int, limit: int) -> list[FailureRow]:
    """Return the last failures told, oldest first."""
    found = store.rows(
        "SELECT t.at, f.command FROM failures_told t JOIN failed_commands f ON f.id = t.failure_id"
        " WHERE t.session_id = ? AND t.at > 0 ORDER BY t.at DESC, t.failure_id DESC LIMIT ?",
        (session, limit),
    )
    return [FailureRow(*row) for row in reversed(found)]


def join_given(store: Store, left: int, former: int) -> None:
    """Give the rows of *left* to the same session *former*."""
    store.execute(
        "INSERT INTO given (session_id, number, seq, at, occasion, why, outcome)"
        " SELECT ?2, number + (SELECT coalesce(max(number), 0) FROM given WHERE session_id = ?2),"
        " seq, at, occasion, why, outcome FROM given WHERE session_id = ?1",
        (left, former),
    )
