"""Index hunks by fingerprints and words; rebuilt when the version changes.

Hashes include the project, so that only its rows are read and counted.
"""

import json
from collections.abc import Sequence
from typing import Final

from palimp_daemon.codediff.fingerprint import VERSION, kept_features, posting_hash
from palimp_daemon.codediff.normalize import code_lines, is_keyword
from palimp_daemon.runtime.sql import transaction
from palimp_daemon.search.engine import COLUMNS, Compared, drop_full_text
from palimp_daemon.search.folding import is_symbol
from palimp_daemon.search.identifiers import hidden_words
from palimp_daemon.search.stems import WORD
from palimp_daemon.search.terms import STOP_WORDS
from palimp_daemon.search.version_words import version_words
from palimp_daemon.store.derived_index import NEWER_THAN_ALL
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.removed_code.hunks import PENDING, STATES, WATCHED, Known, gone_lines, known_hunks

INDEXED_CHARACTERS_MIN: Final = 2

INDEXED_WORDS_MAX: Final = 200
"""Shortest searchable words of a hunk, and their number; keywords of languages are left out."""


def watch(store: Store, project: int, hunk_id: int, path: str, gone: Sequence[str], reason: str) -> None:
    """Index a hunk for search and to detect its return."""
    _keep_fingerprints(store, project, hunk_id, gone)
    _keep_words(store, hunk_id, path, gone, reason)


def unwatch(store: Store, project: int, hunk_id: int, state: str) -> None:
    """Drop a hunk's fingerprints; it stays searchable as *state*."""
    _drop_fingerprints(store, project, hunk_id)
    store.execute("UPDATE hunks SET state = ? WHERE id = ?", (STATES.index(state), hunk_id))


def forget(store: Store, project: int, hunk_id: int) -> None:
    """Drop a hunk's index entries before its deletion."""
    _drop_fingerprints(store, project, hunk_id)
    store.execute(f"DELETE FROM hunks_fts WHERE {store.engine.key} = ?", (hunk_id,))


def reword(store: Store, hunk_id: int) -> None:
    """Index a hunk's words again after its reason changed."""
    store.execute(f"DELETE FROM hunks_fts WHERE {store.engine.key} = ?", (hunk_id,))
    if store.connection.changes():
        [hunk] = known_hunks(store, "h.id = ?", (hunk_id,))
        _keep_words(store, hunk.id, hunk.path, gone_lines(hunk), hunk.reason)


def watch_again(store: Store, project: int, hunk: Known) -> None:
    """Undo `unwatch`."""
    _keep_fingerprints(store, project, hunk.id, gone_lines(hunk))
    store.execute("UPDATE hunks SET state = ? WHERE id = ?", (WATCHED, hunk.id))


def watch_for(store: Store, project: int, hunk_id: int, *, instead_of: int) -> None:
    """Watch a hunk in *project* instead of *instead_of*."""
    _drop_fingerprints(store, instead_of, hunk_id)
    [hunk] = known_hunks(store, "h.id = ?", (hunk_id,))
    _keep_fingerprints(store, project, hunk_id, gone_lines(hunk))


def _keep_fingerprints(store: Store, project: int, hunk_id: int, gone: Sequence[str]) -> None:
    store.execute(
        "INSERT OR IGNORE INTO fingerprints (hash, hunk_id) SELECT value, ? FROM json_each(?)",
        (hunk_id, _hashes(project, gone)),
    )


def _drop_fingerprints(store: Store, project: int, hunk_id: int) -> None:
    [hunk] = known_hunks(store, "h.id = ?", (hunk_id,))
    store.execute(
        "DELETE FROM fingerprints WHERE hunk_id = ? AND hash IN (SELECT value FROM json_each(?))",
        (hunk_id, _hashes(project, gone_lines(hunk))),
    )


def _hashes(project: int, gone: Sequence[str]) -> str:
    return json.dumps([posting_hash(each, project) for each in kept_features(code_lines(gone))])


def _keep_words(store: Store, hunk_id: int, path: str, gone: Sequence[str], reason: str) -> None:
    store.execute(
        f"INSERT INTO hunks_fts ({store.engine.key}, words) VALUES (?, {store.engine.word_of('?')})",
        (hunk_id, _search_text(path, gone, reason)),
    )


def _search_text(path: str, gone: Sequence[str], reason: str) -> str:
    text = "\n".join([reason, path, *gone])
    words = list(dict.fromkeys(word for word in WORD.findall(text) if _says_something(word)))[:INDEXED_WORDS_MAX]
    versions = version_words(text)[:INDEXED_WORDS_MAX]
    return " ".join(dict.fromkeys([*words, *versions, *hidden_words(" ".join(words))]))


def _says_something(word: str) -> bool:
    if len(word) < INDEXED_CHARACTERS_MIN or word.isdecimal():
        return is_symbol(word)
    return not is_keyword(word) and word.lower() not in STOP_WORDS


def prepare_changes(store: Store) -> None:
    """Create the index, or refill it if its version differs."""
    if store.value("SELECT version FROM changes_index") == _version(store):
        return
    with transaction(store.connection):
        empty_hunk_index(store)
        below: int | None = NEWER_THAN_ALL
        while below is not None:
            below = fill_hunk_index(store, below, HUNKS_AT_ONCE)
        note_hunks_indexed(store)


def _version(store: Store) -> str:
    return f"{VERSION} {store.engine.name} {store.engine.version}"


HUNKS_AT_ONCE: Final = 200
"""Hunks unpacked and indexed at once: some 20 ms, and little memory."""


def empty_hunk_index(store: Store) -> None:
    """Create an empty index, for all later hunks. Inside a transaction."""
    drop_full_text(store.connection, "hunks_fts")
    # One column: each other would cost two bytes per word in it, and one per hunk.
    store.execute(store.engine.create.replace("memories_fts", "hunks_fts").replace(", ".join(COLUMNS), "words"))
    store.execute("DELETE FROM fingerprints")
    store.execute("DELETE FROM changes_index")


def fill_hunk_index(store: Store, below: int, limit: int) -> int | None:
    """Index the next missing hunks; return the next bound."""
    known = indexed_hunks(store, "h.id < ? ORDER BY h.id DESC LIMIT ?", (below, limit))
    if not known:
        return None
    lowest = known[-1][0].id
    there = f"SELECT {store.engine.key} FROM hunks_fts WHERE {store.engine.key} >= ? AND {store.engine.key} < ?"
    has = {*store.column(there, (lowest, below))}
    for hunk, project in known:
        if hunk.id not in has:
            _keep_words(store, hunk.id, hunk.path, gone_lines(hunk), hunk.reason)
            if hunk.state == STATES[WATCHED]:
                _keep_fingerprints(store, project, hunk.id, gone_lines(hunk))
    return lowest


def note_hunks_indexed(store: Store) -> None:
    """Note that the index is complete."""
    store.execute("INSERT OR REPLACE INTO changes_index (one, version) VALUES (1, ?)", (_version(store),))


def indexed_hunks(store: Store, where: str, values: Sequence[int]) -> list[tuple[Known, int]]:
    """Return (hunk, project) under *where* that belong in the index."""
    settled = f"h.state != {PENDING} AND h.gone > 0 AND {where}"
    known = known_hunks(store, settled, values)
    numbers = json.dumps([hunk.id for hunk in known])
    projects: dict[int, int] = dict(
        store.rows(
            "SELECT h.id, c.project_id FROM hunks h JOIN changes c ON c.id = h.change_id"
            " WHERE h.id IN (SELECT value FROM json_each(?))",
            (numbers,),
        )
    )
    return [(hunk, projects[hunk.id]) for hunk in known]


def differing_hunk(store: Store, where: str, values: Sequence[int]) -> int | None:
    """Return a hunk under *where* that is indexed wrongly, if any."""
    known = indexed_hunks(store, where, values)
    fold = store.engine.fold
    compared = [
        Compared(hunk.id, [fold(_search_text(hunk.path, gone_lines(hunk), hunk.reason))], is_searched=True)
        for hunk, _ in known
    ]
    differing = store.engine.first_differing(store.connection, "hunks_fts", compared)
    if differing is not None:
        return differing
    watched = [(hunk, project) for hunk, project in known if hunk.state == STATES[WATCHED]]
    return next((hunk.id for hunk, project in watched if not _has_fingerprints(store, project, hunk)), None)


def _has_fingerprints(store: Store, project: int, hunk: Known) -> bool:
    missing = (
        "SELECT 1 FROM json_each(?) WHERE NOT EXISTS"
        " (SELECT 1 FROM fingerprints WHERE hash = value AND hunk_id = ?) LIMIT 1"
    )
    return not store.rows(missing, (_hashes(project, gone_lines(hunk)), hunk.id))
