"""By what hunks are found: their fingerprints, and their words.

The project is mixed into every hash, so that a lookup touches no other project's rows and its bounds count only its
own. Both are made from the hunks, and made anew when their version changes.
"""

import json
from collections.abc import Sequence
from typing import Final

from palimp_daemon.changes.fingerprint import VERSION, kept_features, posted
from palimp_daemon.changes.lines import code_lines, is_keyword
from palimp_daemon.search.engine import COLUMNS, Engine
from palimp_daemon.search.folding import is_symbol
from palimp_daemon.search.identifiers import hidden_words
from palimp_daemon.search.stems import WORD
from palimp_daemon.search.terms import STOP_WORDS
from palimp_daemon.search.versions import version_words
from palimp_daemon.sql import rows, value
from palimp_daemon.store.hunks import PENDING, STATES, WATCHED, Known, gone_lines, known_hunks
from palimp_daemon.store.store import Store

INDEXED_CHARACTERS_MIN: Final = 2

INDEXED_WORDS_MAX: Final = 200
"""Words of one hunk that can be searched for: as many, and no shorter ones; keywords of languages neither."""


def watch(store: Store, project: int, hunk_id: int, path: str, gone: Sequence[str], reason: str) -> None:
    """Index a hunk, so that its return is noticed and it can be searched for."""
    _keep_fingerprints(store, project, hunk_id, gone)
    _keep_words(store, hunk_id, path, gone, reason)


def unwatch(store: Store, project: int, hunk_id: int, state: str) -> None:
    """Let go of a hunk's fingerprints; it can still be searched for, shown and counted, as *state*."""
    _drop_fingerprints(store, project, hunk_id)
    store.connection.execute("UPDATE hunks SET state = ? WHERE id = ?", (STATES.index(state), hunk_id))


def forget(store: Store, project: int, hunk_id: int) -> None:
    """Let go of all that is indexed of a hunk, which is about to be deleted."""
    _drop_fingerprints(store, project, hunk_id)
    store.connection.execute(f"DELETE FROM hunks_fts WHERE {store.engine.key} = ?", (hunk_id,))


def watch_again(store: Store, project: int, hunk: Known) -> None:
    """Take back what `unwatch` did."""
    _keep_fingerprints(store, project, hunk.id, gone_lines(hunk))
    store.connection.execute("UPDATE hunks SET state = ? WHERE id = ?", (WATCHED, hunk.id))


def watch_for(store: Store, project: int, hunk_id: int, *, instead_of: int) -> None:
    """Watch for a hunk in *project*, and not in the one it was in before."""
    _drop_fingerprints(store, instead_of, hunk_id)
    [hunk] = known_hunks(store, "h.id = ?", (hunk_id,))
    _keep_fingerprints(store, project, hunk_id, gone_lines(hunk))


def _keep_fingerprints(store: Store, project: int, hunk_id: int, gone: Sequence[str]) -> None:
    store.connection.execute(
        "INSERT OR IGNORE INTO fingerprints (hash, hunk_id) SELECT value, ? FROM json_each(?)",
        (hunk_id, _hashes(project, gone)),
    )


def _drop_fingerprints(store: Store, project: int, hunk_id: int) -> None:
    [hunk] = known_hunks(store, "h.id = ?", (hunk_id,))
    store.connection.execute(
        "DELETE FROM fingerprints WHERE hunk_id = ? AND hash IN (SELECT value FROM json_each(?))",
        (hunk_id, _hashes(project, gone_lines(hunk))),
    )


def _hashes(project: int, gone: Sequence[str]) -> str:
    return json.dumps([posted(each, project) for each in kept_features(code_lines(gone))])


def _keep_words(store: Store, hunk_id: int, path: str, gone: Sequence[str], reason: str) -> None:
    store.connection.execute(
        f"INSERT INTO hunks_fts ({store.engine.key}, words) VALUES (?, {store.engine.word_of('?')})",
        (hunk_id, _searched(path, gone, reason)),
    )


def _searched(path: str, gone: Sequence[str], reason: str) -> str:
    """Return what can be searched for of a hunk, each word once: reason, path, code, and what is hidden in names."""
    text = "\n".join([reason, path, *gone])
    words = list(dict.fromkeys(word for word in WORD.findall(text) if _says_something(word)))[:INDEXED_WORDS_MAX]
    versions = version_words(text)[:INDEXED_WORDS_MAX]
    return " ".join(dict.fromkeys([*words, *versions, *hidden_words(" ".join(words))]))


def _says_something(word: str) -> bool:
    if len(word) < INDEXED_CHARACTERS_MIN or word.isdecimal():
        return is_symbol(word)
    return not is_keyword(word) and word.lower() not in STOP_WORDS


def _create(engine: Engine) -> str:
    # One column: each other would cost two bytes per word in it, and one per hunk.
    return engine.create.replace("memories_fts", "hunks_fts").replace(", ".join(COLUMNS), "words")


def prepare_changes(store: Store) -> None:
    """Make the index of hunks, and fill it again when features or engine are not those it was made with."""
    version = f"{VERSION} {store.engine.name} {store.engine.version}"
    db = store.connection
    if value(db, "SELECT version FROM changes_index") == version:
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        db.execute("DROP TABLE IF EXISTS hunks_fts")
        db.execute(_create(store.engine))
        db.execute("DELETE FROM fingerprints")
        settled = "SELECT h.id, c.project_id FROM hunks h JOIN changes c ON c.id = h.change_id"
        for hunk_id, project in rows(db, f"{settled} WHERE h.state != {PENDING} AND h.gone > 0"):
            [hunk] = known_hunks(store, "h.id = ?", (hunk_id,))
            _keep_words(store, hunk_id, hunk.path, gone_lines(hunk), hunk.reason)
            if hunk.state == "watched":
                _keep_fingerprints(store, project, hunk_id, gone_lines(hunk))
        db.execute("INSERT OR REPLACE INTO changes_index (one, version) VALUES (1, ?)", (version,))
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
