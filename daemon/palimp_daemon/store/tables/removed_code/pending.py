"""SQL of hunks pending until the end of a turn, and of lines that sessions added."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from palimp_daemon.codediff.diff import Hunk
from palimp_daemon.codediff.fingerprint import feature
from palimp_daemon.codediff.normalize import is_significant, key_of
from palimp_daemon.codediff.packing import pack, unpack
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.removed_code.hunk_index import watch
from palimp_daemon.store.tables.removed_code.hunks import PENDING, WATCHED, Known, known_hunks

_WAITING: Final = "is_pending AND session_id IS NOT NULL AND project_id = ? AND (session_id = ? OR at < ?)"


def pending_hunks(store: Store, project: int, session_id: int, abandoned_before_ms: int) -> list[Known]:
    """Return the pending hunks of this turn, and of turns never ended."""
    return known_hunks(
        store,
        f"h.state = {PENDING} AND c.id IN (SELECT id FROM changes WHERE {_WAITING}) ORDER BY h.id",
        (project, session_id, abandoned_before_ms),
    )


def current_turn(store: Store, session_id: int) -> int:
    """Return the session's turn: its last settled one + 1."""
    [(running, last)] = store.rows(
        "SELECT coalesce(max(turn) FILTER (WHERE is_pending), 0), coalesce(max(turn), 0) FROM changes"
        " WHERE session_id = ?",
        (session_id,),
    )
    return running or last + 1


def settle(store: Store, project: int, hunk: Known, gone: Sequence[str]) -> None:
    """Settle a hunk with *gone* lines; watch it if they say something."""
    says_something = any(is_significant(line) for line in gone)
    body = unpack(hunk.packed)
    moved = _without(body.gone, gone) + body.moved
    settled = Hunk(
        hunk.path, hunk.line, (*gone, *moved), tuple(body.added), (False,) * len(gone) + (True,) * len(moved)
    )
    store.execute(
        f"UPDATE hunks SET state = {WATCHED}, gone = ?, packed = ? WHERE id = ?",
        (len(gone) if says_something else 0, pack(settled), hunk.id),
    )
    if says_something:
        watch(store, project, hunk.id, hunk.path, gone, hunk.reason)


def end_pending(store: Store, project: int, session_id: int, abandoned_before_ms: int) -> None:
    """Settle the changes of `pending_hunks`."""
    store.execute(f"UPDATE changes SET is_pending = 0 WHERE {_WAITING}", (project, session_id, abandoned_before_ms))


def _without(lines: Iterable[str], taken: Iterable[str]) -> list[str]:
    spare = Counter(taken)
    left: list[str] = []
    for line in lines:
        if spare[line]:
            spare[line] -= 1
        else:
            left.append(line)
    return left


def note_added(store: Store, session_id: int, lines: Iterable[str]) -> None:
    """Remember *lines* added by a session."""
    hashes = [feature("L", key_of(line)) for line in lines if is_significant(line)]
    store.execute(
        "INSERT OR IGNORE INTO session_lines (session_id, hash) SELECT ?, value FROM json_each(?)",
        (session_id, json.dumps(hashes)),
    )


def added_by(store: Store, session_id: int, lines: Iterable[str]) -> list[str]:
    """Return those of *lines* that the session added."""
    hashes = {feature("L", key_of(line)): line for line in lines if is_significant(line)}
    found = store.rows(
        "SELECT s.hash FROM json_each(?) JOIN session_lines s ON s.session_id = ? AND s.hash = value",
        (json.dumps(list(hashes)), session_id),
    )
    own = {row[0] for row in found}
    return [line for line in lines if feature("L", key_of(line)) in own]


def forget_session_lines(store: Store, session_id: int) -> None:
    """Forget the lines of a session that is over."""
    store.execute("DELETE FROM session_lines WHERE session_id = ?", (session_id,))
