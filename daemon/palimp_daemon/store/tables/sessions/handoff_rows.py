"""SQL of a session's handover: changed paths, saved memories, first and last turns."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.sessions.conversation_rows import TURN


class Turns(NamedTuple):
    """A user's first and last turn, the agent's last; empty for none."""

    first: str = ""
    last_user: str = ""
    last_agent: str = ""


def paths_changed(store: Store, session: int, limit: int) -> list[str]:
    """Return the paths with changed code, latest first."""
    return store.column(
        "SELECT p.path FROM changes c JOIN hunks h ON h.change_id = c.id JOIN paths p ON p.id = h.path_id"
        " WHERE c.session_id = ? GROUP BY p.id ORDER BY max(c.id) DESC LIMIT ?",
        (session, limit),
    )


def memories_of(store: Store, session: int, kinds: Sequence[str], limit: int) -> list[int]:
    """Return the session's memories in force of *kinds*, latest first."""
    places = ", ".join("?" * len(kinds))
    return store.column(
        f"SELECT seq FROM memories WHERE session_id = ? AND kind IN ({places}) AND deleted_at IS NULL"
        " AND superseded_by IS NULL ORDER BY seq DESC LIMIT ?",
        (session, *kinds, limit),
    )


_OF_SESSION: Final = (
    "SELECT m.content FROM memories m JOIN sessions t ON t.id = m.session_id"
    " WHERE t.key = ? AND t.project_id = ? AND m.kind = ? AND m.source = ? AND m.deleted_at IS NULL ORDER BY m.seq"
)


def turns_of(store: Store, project: int, key: str) -> Turns:
    """Return a session's first and last turns from the conversations' store."""

    def turn(role: str, order: str) -> str:
        return store.value(f"{_OF_SESSION} {order} LIMIT 1", (key, project, TURN, role)) or ""

    return Turns(turn("user", "ASC"), turn("user", "DESC"), turn("assistant", "DESC"))
