"""SQL of `sessions`: their acts, and memories told to them."""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from palimp_daemon.store.store import Store
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef


class SessionRow(NamedTuple):
    """A session with its acts in a project."""

    id: int
    key: str
    client: str
    started_at: int
    seen_at: int
    """Its last sign of life."""
    ended_at: int | None
    turns: int
    recalls: int
    saves: int
    removed: int
    about: str
    """The title of its summary, or else of its last memory; empty: it saved nothing."""


class Event(NamedTuple):
    """A session's saved memory (*what*: its kind) or removed code."""

    at: int
    what: str
    number: int
    """The memory's, or the hunk's."""
    title: str


_SESSION = (
    "SELECT s.id, s.key, s.client, s.started_at, max(s.seen_at, s.started_at, coalesce((SELECT max(created_at) FROM"
    " memories m WHERE m.session_id = s.id), 0)), s.ended_at, s.turns, s.recalls,"
    " (SELECT count(*) FROM memories m WHERE m.session_id = s.id),"
    " (SELECT count(*) FROM changes c JOIN hunks h ON h.change_id = c.id WHERE c.session_id = s.id AND h.gone > 0),"
    " coalesce((SELECT title FROM memories m WHERE m.session_id = s.id AND m.deleted_at IS NULL"
    " ORDER BY m.kind = 'summary' DESC, m.seq DESC LIMIT 1), '')"
    " FROM sessions s"
)


def newest_sessions(store: Store, project: int, limit: int) -> tuple[list[SessionRow], int]:
    """Return the newest sessions, and the number of all."""
    total = store.value("SELECT count(*) FROM sessions WHERE project_id = ?", (project,))
    found = store.rows(
        # What each did is looked for once it is known which they are.
        f"{_SESSION} WHERE s.id IN"
        " (SELECT id FROM sessions WHERE project_id = ? ORDER BY started_at DESC, id DESC LIMIT ?)"
        " ORDER BY s.started_at DESC, s.id DESC",
        (project, limit),
    )
    return [SessionRow(*row) for row in found], total


def sessions_named(store: Store, project: int, key: str) -> list[SessionRow]:
    """Return the session with exactly *key*, else those with the prefix."""
    found = store.rows(
        f"{_SESSION} WHERE s.project_id = ? AND substr(s.key, 1, ?) = ? ORDER BY s.key != ?, s.started_at DESC LIMIT 6",
        (project, len(key), key, key),
    )
    named = [SessionRow(*row) for row in found]
    return named[:1] if named and named[0].key == key else named


def sessions_numbered(store: Store, numbers: Sequence[int]) -> list[SessionRow]:
    """Return the sessions *numbers*, last active first."""
    holes = ", ".join("?" * len(numbers))
    found = store.rows(f"{_SESSION} WHERE s.id IN ({holes})", numbers) if numbers else []
    return sorted((SessionRow(*row) for row in found), key=lambda row: -row.seen_at)


def sessions_editing(store: Store, project: int, tail: str, limit: int) -> list[int]:
    """Return the last sessions that changed a path ending with *tail*."""
    found = store.rows(
        "SELECT c.session_id, max(c.at) FROM paths p JOIN hunks h ON h.path_id = p.id JOIN changes c"
        " ON c.id = h.change_id WHERE p.project_id = ?1 AND substr('/' || p.path, -length(?2)) = ?2"
        " AND c.session_id IS NOT NULL GROUP BY c.session_id ORDER BY 2 DESC LIMIT ?3",
        (project, tail, limit),
    )
    return [session for session, _ in found]


def events_of(store: Store, session: int, limit: int, *, has_purged: bool = False) -> list[Event]:
    """Return the last events, oldest first, with purged memories if *has_purged*."""
    found = store.rows(
        "SELECT at, what, number, title FROM ("
        "SELECT created_at AS at, kind AS what, seq AS number, title FROM memories"
        " WHERE session_id = ?1 AND (?3 OR deleted_at IS NULL)"
        " UNION ALL "
        "SELECT c.at, 'removed-code', h.id, p.path || ', ' || h.gone || ' lines: ' || substr(c.reason, 1, 160)"
        " FROM changes c JOIN hunks h ON h.change_id = c.id JOIN paths p ON p.id = h.path_id"
        " WHERE c.session_id = ?1 AND h.gone > 0"
        ") ORDER BY at DESC, number DESC LIMIT ?2",
        (session, limit, has_purged),
    )
    return [Event(*row) for row in reversed(found)]


def note_seen(store: Store, session: int, now_ms: int, *, is_end: bool = False) -> None:
    """Note that a session was active, which reopens it, or ended."""
    store.execute(
        "UPDATE sessions SET seen_at = ?, ended_at = ? WHERE id = ?", (now_ms, now_ms if is_end else None, session)
    )


def note_turn(store: Store, session: int, now_ms: int) -> int:
    """Count a turn; return the number since the last capture."""
    note_seen(store, session, now_ms)
    counted = "UPDATE sessions SET turns = turns + 1 WHERE id = ? RETURNING turns - turns_captured"
    return store.value(counted, (session,)) or 0


def note_captured(store: Store, session: int, *, is_last: bool) -> None:
    """Note that all turns were captured; *is_last*: no capture is due."""
    store.execute(
        "UPDATE sessions SET turns_captured = turns, capture_due = iif(?, 0, capture_due) WHERE id = ?",
        (is_last, session),
    )


def note_capture_due(store: Store, session: int) -> None:
    """Note that a session must be captured and summed up."""
    store.execute("UPDATE sessions SET capture_due = 1 WHERE id = ?", (session,))


def captures_due(store: Store, since_ms: int, limit: int) -> list[tuple[Caller, str]]:
    """Return recent sessions due for capture, with their transcripts."""
    found = store.rows(
        "SELECT p.root, p.name, s.key, s.client, t.path FROM sessions s JOIN projects p ON p.id = s.project_id"
        " JOIN transcripts t ON t.session_id = s.id WHERE s.capture_due AND s.seen_at > ? ORDER BY s.id DESC LIMIT ?",
        (since_ms, limit),
    )
    return [
        (Caller(ProjectRef(root, name) if root else None, SessionRef(key, client)), path)
        for root, name, key, client, path in found
    ]


def note_recalls(store: Store, session: int, count: int, now_ms: int) -> None:
    """Count a session's recalls."""
    store.execute(
        "UPDATE sessions SET recalls = recalls + ?, seen_at = max(seen_at, ?) WHERE id = ?", (count, now_ms, session)
    )


def context_given(store: Store, session: int) -> int | None:
    """Return the newest memory at the start context, if any."""
    return store.value("SELECT context_seq FROM sessions WHERE id = ?", (session,))


def note_context(store: Store, session: int, now_ms: int) -> None:
    """Note that the session got its start context."""
    store.execute(
        "UPDATE sessions SET context_seq = (SELECT coalesce(max(seq), 0) FROM memories), seen_at = ?, ended_at = NULL"
        " WHERE id = ?",
        (now_ms, session),
    )


def session_forked(store: Store, project: int, client: str, at_ms: int) -> int | None:
    """Return *client*'s session with start context active nearest to *at_ms*."""
    return store.value(
        "SELECT id FROM sessions WHERE project_id = ? AND client = ? AND context_seq IS NOT NULL"
        " ORDER BY abs(max(seen_at, started_at) - ?), id DESC LIMIT 1",
        (project, client, at_ms),
    )


def saved_by(store: Store, sessions: Sequence[int], after: int) -> set[int]:
    """Return the memories of *sessions* numbered above *after*."""
    holes = ", ".join("?" * len(sessions))
    return {*store.column(f"SELECT seq FROM memories WHERE seq > ? AND session_id IN ({holes})", (after, *sessions))}


def inherit_injected(store: Store, session: int, parent: int) -> None:
    """Note that a fork was given the same as *parent*."""
    store.execute(
        "INSERT OR IGNORE INTO injected (session_id, seq) SELECT ?, seq FROM injected WHERE session_id = ?",
        (session, parent),
    )


def already_told(store: Store, session: int) -> set[int]:
    """Return the memories told to the session since its start context."""
    return {*store.column("SELECT seq FROM injected WHERE session_id = ?", (session,))}


def note_injected(store: Store, session: int, seqs: Iterable[int]) -> None:
    """Remember that the session was given *seqs*."""
    store.connection.executemany(
        "INSERT OR IGNORE INTO injected (session_id, seq) VALUES (?, ?)", [(session, seq) for seq in seqs]
    )


def forget_injected(store: Store, session: int) -> None:
    """Forget the memories given to the session, as its client did."""
    store.execute("DELETE FROM injected WHERE session_id = ?", (session,))


OVER_MS: Final = 90 * 86_400_000
"""Milliseconds of silence after which a session will not resume."""

_DETAILS: Final = ("injected", "given", "session_lines", "tellings", "transcripts")
"""Data for resuming a session, and the memories given to it: some kilobytes."""


def forget_details(store: Store, now_ms: int, limit: int) -> bool:
    """Forget the details, not acts, of ended sessions; tell whether any remain."""
    over = store.rows(
        "SELECT id FROM sessions s WHERE max(started_at, seen_at) < ? AND"
        " (EXISTS (SELECT 1 FROM transcripts WHERE session_id = s.id)"
        " OR EXISTS (SELECT 1 FROM session_lines WHERE session_id = s.id)"
        " OR EXISTS (SELECT 1 FROM given WHERE session_id = s.id)) LIMIT ?",
        (now_ms - OVER_MS, limit),
    )
    for table in _DETAILS:
        store.connection.executemany(f"DELETE FROM {table} WHERE session_id = ?", over)
    return len(over) == limit


def newest_memory_of(store: Store, projects: Sequence[int]) -> int:
    """Return the newest memory's number; 0 for none."""
    each = (store.value("SELECT max(seq) FROM memories WHERE project_id = ?", (project,)) for project in projects)
    return max((seq or 0 for seq in each), default=0)
