"""SQL that stores and deletes changes with their hunks."""

import hashlib
import json
from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_daemon.codediff.diff import Hunk, takes_out
from palimp_daemon.codediff.fingerprint import feature, posting_hash
from palimp_daemon.codediff.normalize import is_significant, key_of
from palimp_daemon.codediff.packing import pack
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.removed_code.hunk_index import forget, reword, watch, watch_for
from palimp_daemon.store.tables.removed_code.hunks import PENDING, WATCHED, Known, gone_lines
from palimp_daemon.text.last_words import quotes_in

SENTENCE_CHARACTERS: Final = 24
"""Characters of an erased text, at least: shorter ones ("Use tabs.") occur by chance."""

_OF_PROJECT: Final = "FROM hunks h JOIN changes c ON c.id = h.change_id WHERE c.project_id = ?"


class Change(NamedTuple):
    """A session's edit or a commit, to be stored."""

    reason: str
    at: int
    """Unix milliseconds."""
    tool: str = ""
    commit: str = ""
    session_id: int | None = None
    turn: int = 0
    """Of the session, from 1; 0: from git."""
    is_pending: bool = False


def insert_change(store: Store, project: int, change: Change, hunks: Sequence[Hunk]) -> int:
    """Store *change* with its *hunks* after `without_moves`; return its number.

    Hunks with gone code are watched, unless it is pending.
    """
    number = store.insert(
        "changes (project_id, session_id, turn, commit_sha, tool, reason, at, is_pending)",
        (
            project,
            change.session_id,
            change.turn,
            change.commit,
            change.tool,
            change.reason,
            change.at,
            int(change.is_pending),
        ),
    )
    add_hunks(store, project, number, change, hunks)
    return number


def add_hunks(store: Store, project: int, number: int, change: Change, hunks: Sequence[Hunk]) -> None:
    """Store *hunks* of the change *number*."""
    erased = _erasures_among(store, hunks)
    for hunk in hunks:
        if erased and _hash_of(hunk.gone) in erased:
            continue
        is_telling = takes_out(hunk)
        state = PENDING if change.is_pending else WATCHED
        path, gone = path_row(store, project, hunk.path), len(hunk.gone) if is_telling else 0
        store.insert(
            "hunks (change_id, path_id, line, gone, state, packed)", (number, path, hunk.line, gone, state, pack(hunk))
        )
        if is_telling and not change.is_pending:
            watch(store, project, store.connection.last_insert_rowid(), hunk.path, hunk.gone, change.reason)


def path_row(store: Store, project: int, path: str) -> int:
    """Return the row of *path*, made if need be."""
    key = (project, path)
    row = store.value("SELECT id FROM paths WHERE project_id = ? AND path = ?", key)
    if row is None:
        row = store.insert("paths (project_id, path)", key)
    return int(row)


def move_hunks(store: Store, hunks: Sequence[tuple[int, str, int, int]], giver: int, taker: int) -> None:
    """Move *hunks* (number, path, state, gone lines) to the project *taker*."""
    for hunk, path, state, gone in hunks:
        store.execute("UPDATE hunks SET path_id = ? WHERE id = ?", (path_row(store, taker, path), hunk))
        if gone and state == WATCHED:
            watch_for(store, taker, hunk, instead_of=giver)


def forget_hunks(store: Store, project: int, keep_from_ms: int, keep_hunks: int, limit: int) -> int:
    """Delete hunks before *keep_from_ms*, or beyond *keep_hunks*, least cited first."""
    total: int = store.value(f"SELECT count(*) {_OF_PROJECT}", (project,))
    too_many = max(0, total - keep_hunks)
    old = store.rows(f"SELECT h.id {_OF_PROJECT} AND c.at < ? ORDER BY c.at LIMIT ?", (project, keep_from_ms, limit))
    least = (
        store.rows(f"SELECT h.id {_OF_PROJECT} ORDER BY min(h.cited, 3), c.at LIMIT ?", (project, min(limit, too_many)))
        if too_many > len(old)
        else []
    )
    gone = list(dict.fromkeys(row[0] for row in (*old, *least)))[:limit]
    _delete_hunks(store, project, gone)
    if gone:
        store.execute(
            "DELETE FROM changes WHERE project_id = ? AND NOT is_pending AND id NOT IN (SELECT change_id FROM hunks)",
            (project,),
        )
    return len(gone)


def delete_change(store: Store, number: int) -> None:
    """Delete a change with its hunks."""
    project = store.value("SELECT project_id FROM changes WHERE id = ?", (number,))
    hunks = store.column("SELECT id FROM hunks WHERE change_id = ?", (number,))
    _delete_hunks(store, project, hunks)
    store.execute("DELETE FROM changes WHERE id = ?", (number,))


def erase_hunk(store: Store, project: int, hunk: Known) -> None:
    """Erase *hunk* except its change and a hash, which prevents recording it again."""
    store.insert("erased_hunks (hash)", (_hash_of(gone_lines(hunk)),), or_="IGNORE")
    change = store.value("SELECT change_id FROM hunks WHERE id = ?", (hunk.id,))
    _delete_hunks(store, project, [hunk.id])
    store.execute("DELETE FROM tellings WHERE hunk_id = ?", (hunk.id,))
    store.execute("DELETE FROM requests WHERE CAST(reply AS TEXT) GLOB ?", (f"*h{hunk.id}[^0-9]*",))
    store.execute("UPDATE changes SET reason = '' WHERE id = ? AND id NOT IN (SELECT change_id FROM hunks)", (change,))


def erase_reasons(store: Store, project: int, session: str, containing: str) -> int:
    """Clear all reasons of *session* (a key), else *project*'s with *containing*; return how many."""
    if session:
        part, values = "session_id IN (SELECT id FROM sessions WHERE key = ?)", (session,)
    elif containing:
        # The reasons that sessions give are on one line.
        folded = " ".join(containing.split()) or containing
        part, values = "project_id = ? AND max(instr(reason, ?), instr(reason, ?)) > 0", (project, containing, folded)
    else:
        part, values = "project_id = ? AND session_id IS NOT NULL", (project,)
    found = store.rows(f"SELECT id FROM changes WHERE reason != '' AND {part}", values)
    return _empty_reasons(store, [number for (number,) in found])


def erase_reasons_quoting(store: Store, project: int, session: str, text: str) -> int:
    """Clear reasons that quote *text* of *session* (a key), other sessions' only for long quotes; return how many."""
    said = " ".join(text.split())
    found = store.rows(
        "SELECT c.id, c.reason, s.key = ? FROM changes c JOIN sessions s ON s.id = c.session_id"
        " WHERE c.project_id = ? AND c.reason != ''",
        (session, project),
    )
    quoting = [
        number
        for number, reason, is_own in found
        if any(quote in said and (is_own or len(quote) >= SENTENCE_CHARACTERS) for quote in quotes_in(reason))
    ]
    return _empty_reasons(store, quoting)


def erase_reasons_of_commit(store: Store, project: int, commit: str) -> int:
    """Clear reasons from commits with a hash prefix; return how many."""
    found = store.rows(
        "SELECT id FROM changes WHERE project_id = ? AND reason != '' AND substr(commit_sha, 1, ?) = ?",
        (project, len(commit), commit),
    )
    return _empty_reasons(store, [number for (number,) in found])


def _empty_reasons(store: Store, changes: Sequence[int]) -> int:
    for number in changes:
        store.execute("UPDATE changes SET reason = '' WHERE id = ?", (number,))
        for (hunk,) in store.rows("SELECT id FROM hunks WHERE change_id = ?", (number,)):
            reword(store, hunk)
    return len(changes)


def hunks_with_lines_of(store: Store, project: int, hunk: Known, limit: int) -> list[int]:
    """Return other watched hunks with its lines, newest first."""
    lines = (key_of(line) for line in gone_lines(hunk) if is_significant(line))
    hashes = [posting_hash(feature("L", line), project) for line in lines]
    return store.column(
        "SELECT DISTINCT hunk_id FROM json_each(?) JOIN fingerprints ON hash = value WHERE hunk_id != ?"
        " ORDER BY hunk_id DESC LIMIT ?",
        (json.dumps(hashes), hunk.id, limit),
    )


def _erasures_among(store: Store, hunks: Sequence[Hunk]) -> set[int]:
    if not hunks or store.value("SELECT 1 FROM erased_hunks LIMIT 1") is None:
        return set()
    hashes = json.dumps([_hash_of(hunk.gone) for hunk in hunks])
    known = "SELECT hash FROM erased_hunks WHERE hash IN (SELECT value FROM json_each(?))"
    return {*store.column(known, (hashes,))}


def _hash_of(gone: Sequence[str]) -> int:
    return int.from_bytes(hashlib.blake2b("\n".join(gone).encode(), digest_size=8).digest()) >> 1


def _delete_hunks(store: Store, project: int, hunk_ids: Sequence[int]) -> None:
    for hunk_id in hunk_ids:
        forget(store, project, hunk_id)
    store.execute("DELETE FROM hunks WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(hunk_ids),))
