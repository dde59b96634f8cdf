"""SQL of changes and their hunks: what is kept, and what of it a proposed piece of code brings back.

The project is mixed into every hash, so that a lookup touches no other project's rows and its bounds count only its
own.
"""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from palimp_daemon.changes.diff import Hunk, takes_out
from palimp_daemon.changes.fingerprint import VERSION, WEIGHTS, FeatureKind, feature, features, kept_features, mixed
from palimp_daemon.changes.lines import code_lines, is_keyword, is_significant, key_of
from palimp_daemon.changes.match import Evidence, Level, Place, compare, judge
from palimp_daemon.changes.packing import pack, unpack
from palimp_daemon.search.identifiers import hidden_words
from palimp_daemon.search.stems import WORD
from palimp_daemon.sql import rows, value
from palimp_daemon.store.store import Store

COMMON_HUNKS: Final = 60
"""A feature of more hunks than this says nothing, and is not read further."""

COMPARED_MAX: Final = 8
"""Candidates compared line by line."""

COMPARED_LINES: Final = 500
"""Lines of proposal and candidates, after which candidates are compared by equal lines only: the best come first, and
this bounds the time of a check."""

CANDIDATES_RANKED: Final = 64
"""Candidates whose paths are looked up, before the best are compared."""

WEIGHT_SHARE_MIN: Final = 0.2
"""Candidates with less than this share of the best one's weight are not compared: on the development cases none
of them was right."""

SAME_PATH_BOOST: Final = 1.5

INDEXED_CHARACTERS_MIN: Final = 3
INDEXED_WORDS_MAX: Final = 200
"""Words of one hunk that can be searched for: as many, and no shorter ones; keywords of languages neither."""


class Change(NamedTuple):
    """A change as it is about to be stored: an edit of a session, or a commit."""

    reason: str
    at: int
    """Unix milliseconds."""
    tool: str = ""
    commit: str = ""
    session_id: int | None = None
    is_pending: bool = False


class Known(NamedTuple):
    """A stored hunk, without its lines."""

    id: int
    path: str
    line: int
    gone: int
    state: str
    at: int
    reason: str
    commit: str
    session: str
    packed: bytes


class Found(NamedTuple):
    """A hunk that a proposal brings back, and what speaks for it."""

    hunk: Known
    level: Level
    evidence: Evidence
    new: list[str]
    """The lines of the proposal that are not in the tree."""
    old: list[str]

    @property
    def same_lines(self) -> list[str]:
        """The lines of the proposal that stand for removed ones."""
        return [self.new[i] for i, _ in self.evidence.pairs]


def gone_lines(hunk: Known) -> list[str]:
    """Return the lines that *hunk* took out and that were nowhere else."""
    return unpack(hunk.packed).gone


# --- writing -------------------------------------------------------------------------------------


def insert_change(store: Store, project: int, change: Change, hunks: Sequence[Hunk]) -> int:
    """Store *change* with its *hunks*, which `without_moves` has seen; return its number.

    Those that take something out are watched at once, unless the change is pending.
    """
    store.connection.execute(
        "INSERT INTO changes (project_id, session_id, commit_sha, tool, reason, at, is_pending)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (project, change.session_id, change.commit, change.tool, change.reason, change.at, int(change.is_pending)),
    )
    number = store.connection.last_insert_rowid()
    add_hunks(store, project, number, change, hunks)
    return number


def add_hunks(store: Store, project: int, number: int, change: Change, hunks: Sequence[Hunk]) -> None:
    """Store *hunks* of the change with this *number*."""
    db = store.connection
    for hunk in hunks:
        is_telling = takes_out(hunk)
        state = "pending" if change.is_pending else "watched"
        path, gone = path_row(store, project, hunk.path), len(hunk.gone) if is_telling else 0
        db.execute(
            "INSERT INTO hunks (change_id, path_id, line, gone, state, packed) VALUES (?, ?, ?, ?, ?, ?)",
            (number, path, hunk.line, gone, state, pack(hunk)),
        )
        if is_telling and not change.is_pending:
            watch(store, project, db.last_insert_rowid(), hunk.path, hunk.gone, change.reason)


def has_commit(store: Store, project: int, commit: str) -> bool:
    """Tell whether *commit* is stored."""
    return (
        value(store.connection, "SELECT 1 FROM changes WHERE project_id = ? AND commit_sha = ?", (project, commit)) == 1
    )


def path_row(store: Store, project: int, path: str) -> int:
    """Return the row of *path*, made if need be."""
    key = (project, path)
    row = value(store.connection, "SELECT id FROM paths WHERE project_id = ? AND path = ?", key)
    if row is None:
        store.connection.execute("INSERT INTO paths (project_id, path) VALUES (?, ?)", key)
        row = store.connection.last_insert_rowid()
    return int(row)


def watch(store: Store, project: int, hunk_id: int, path: str, gone: Sequence[str], reason: str) -> None:
    """Index a hunk, so that its return is noticed and it can be searched for."""
    db = store.connection
    hashes = [mixed(each, project) for each in kept_features(code_lines(gone))]
    db.execute(
        "INSERT OR IGNORE INTO fingerprints (hash, hunk_id) SELECT value, ? FROM json_each(?)",
        (hunk_id, json.dumps(hashes)),
    )
    # All words in the first column: in the others each costs two bytes more, which is a tenth of the database.
    db.execute(
        f"INSERT INTO hunks_fts ({store.engine.key}, title, content, tags, extra, before)"
        f" VALUES (?, {store.engine.word_of('?')}, '', '', '', '')",
        (hunk_id, _searched(path, gone, reason)),
    )


def unwatch(store: Store, project: int, hunk_id: int, state: str) -> None:
    """Let go of a hunk's fingerprints; it can still be searched for, shown and counted, as *state*."""
    db = store.connection
    packed = value(db, "SELECT packed FROM hunks WHERE id = ?", (hunk_id,))
    hashes = [mixed(each, project) for each in kept_features(code_lines(unpack(packed).gone))]
    db.execute(
        "DELETE FROM fingerprints WHERE hunk_id = ? AND hash IN (SELECT value FROM json_each(?))",
        (hunk_id, json.dumps(hashes)),
    )
    db.execute("UPDATE hunks SET state = ? WHERE id = ?", (state, hunk_id))


def watch_again(store: Store, project: int, hunk: Known) -> None:
    """Take back what `unwatch` did."""
    db = store.connection
    db.execute(f"DELETE FROM hunks_fts WHERE {store.engine.key} = ?", (hunk.id,))
    watch(store, project, hunk.id, hunk.path, gone_lines(hunk), hunk.reason)
    db.execute("UPDATE hunks SET state = 'watched' WHERE id = ?", (hunk.id,))


def _searched(path: str, gone: Sequence[str], reason: str) -> str:
    """Return what can be searched for of a hunk, each word once: reason, path, code, and what is hidden in names."""
    text = "\n".join([reason, path, *gone])
    words = list(dict.fromkeys(word for word in WORD.findall(text) if _says_something(word)))[:INDEXED_WORDS_MAX]
    return " ".join(dict.fromkeys([*words, *hidden_words(" ".join(words))]))


def _says_something(word: str) -> bool:
    return len(word) >= INDEXED_CHARACTERS_MIN and not word.isdecimal() and not is_keyword(word)


# --- pending and settled -------------------------------------------------------------------------


def pending_hunks(store: Store, session_id: int) -> list[Known]:
    """Return the hunks of the changes of a session whose turn is not over."""
    return _known(store, "c.session_id = ? AND c.is_pending AND h.state = 'pending' ORDER BY h.id", (session_id,))


def settle(store: Store, project: int, hunk: Known, gone: Sequence[str]) -> None:
    """End the waiting of a hunk, of which *gone* is what is really gone; watch it if that says something."""
    says_something = any(is_significant(line) for line in gone)
    body = unpack(hunk.packed)
    moved = _without(body.gone, gone) + body.moved
    settled = Hunk(
        hunk.path, hunk.line, (*gone, *moved), tuple(body.added), (False,) * len(gone) + (True,) * len(moved)
    )
    store.connection.execute(
        "UPDATE hunks SET state = 'watched', gone = ?, packed = ? WHERE id = ?",
        (len(gone) if says_something else 0, pack(settled), hunk.id),
    )
    if says_something:
        watch(store, project, hunk.id, hunk.path, gone, hunk.reason)


def end_pending(store: Store, session_id: int) -> None:
    """Mark the changes of a session as settled."""
    store.connection.execute("UPDATE changes SET is_pending = 0 WHERE session_id = ? AND is_pending", (session_id,))


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
    """Remember that a session added *lines*."""
    hashes = [feature("L", key_of(line)) for line in lines if is_significant(line)]
    store.connection.execute(
        "INSERT OR IGNORE INTO session_lines (session_id, hash) SELECT ?, value FROM json_each(?)",
        (session_id, json.dumps(hashes)),
    )


def added_by(store: Store, session_id: int, lines: Iterable[str]) -> list[str]:
    """Return those of *lines* that the session added itself."""
    hashes = {feature("L", key_of(line)): line for line in lines if is_significant(line)}
    found = rows(
        store.connection,
        "SELECT s.hash FROM json_each(?) JOIN session_lines s ON s.session_id = ? AND s.hash = value",
        (json.dumps(list(hashes)), session_id),
    )
    own = {row[0] for row in found}
    return [line for line in lines if feature("L", key_of(line)) in own]


def forget_session_lines(store: Store, session_id: int) -> None:
    """Forget what a session added: it is over."""
    store.connection.execute("DELETE FROM session_lines WHERE session_id = ?", (session_id,))


# --- forgetting ----------------------------------------------------------------------------------


def forget_hunks(store: Store, project: int, keep_from_ms: int, keep_hunks: int, limit: int) -> int:
    """Delete *limit* hunks at most of *project*: those before *keep_from_ms*, and those beyond *keep_hunks*.

    The oldest and least cited go first; what was dismissed is kept as long as the rest. Returns how many went.
    """
    total: int = value(store.connection, f"SELECT count(*) {_OF_PROJECT}", (project,))
    too_many = max(0, total - keep_hunks)
    old = rows(
        store.connection,
        f"SELECT h.id {_OF_PROJECT} AND c.at < ? ORDER BY c.at LIMIT ?",
        (project, keep_from_ms, limit),
    )
    least = (
        rows(
            store.connection,
            f"SELECT h.id {_OF_PROJECT} ORDER BY min(h.cited, 3), c.at LIMIT ?",
            (project, min(limit, too_many)),
        )
        if too_many > len(old)
        else []
    )
    gone = list(dict.fromkeys(row[0] for row in (*old, *least)))[:limit]
    for hunk_id in gone:
        unwatch(store, project, hunk_id, "forgotten")
        store.connection.execute(f"DELETE FROM hunks_fts WHERE {store.engine.key} = ?", (hunk_id,))
    store.connection.execute("DELETE FROM hunks WHERE id IN (SELECT value FROM json_each(?))", (json.dumps(gone),))
    if gone:
        store.connection.execute(
            "DELETE FROM changes WHERE project_id = ? AND NOT is_pending AND id NOT IN (SELECT change_id FROM hunks)",
            (project,),
        )
    return len(gone)


_OF_PROJECT: Final = "FROM hunks h JOIN changes c ON c.id = h.change_id WHERE c.project_id = ?"


# --- checking ------------------------------------------------------------------------------------


def returning(
    store: Store, project: int, path: str, new: Sequence[str], alive_names: Iterable[str] = ()
) -> list[Found]:
    """Return the hunks that *new* brings back, best first: lines of *path* that are not in the tree.

    *alive_names* are names that are defined in the tree now.
    """
    new = code_lines(new)
    kinds: dict[int, FeatureKind] = {mixed(each, project): kind for each, kind in features(new).items()}
    for name in alive_names:
        kinds.pop(mixed(feature("D", name), project), None)
    holders = _holders(store, kinds)
    best = _candidates(store, kinds, holders, path)
    if not best:
        return []
    rarity = _rarity(store, project, new, holders)
    found: list[Found] = []
    lines = 0
    known = {each.id: each for each in hunks_by_ids(store, best)}
    for hunk_id, (names, shared) in best.items():
        hunk = known[hunk_id]
        old = code_lines(unpack(hunk.packed).gone)
        place = Place(hunk.path == path, names, shared, is_exact=lines > COMPARED_LINES)
        lines += len(new) + len(old)
        evidence = compare(new, old, rarity, place)
        if level := judge(evidence):
            found.append(Found(hunk, level, evidence, new, old))
    return sorted(found, key=lambda each: (each.level != "warn", -each.evidence.strength, -each.hunk.at, -each.hunk.id))


def _holders(store: Store, kinds: Mapping[int, FeatureKind]) -> dict[int, list[int]]:
    """Return the hunks that have each feature, COMMON_HUNKS and one at most."""
    found = rows(
        store.connection,
        "SELECT value, (SELECT group_concat(hunk_id) FROM"
        f" (SELECT hunk_id FROM fingerprints WHERE hash = value LIMIT {COMMON_HUNKS + 1})) FROM json_each(?)",
        (json.dumps(list(kinds)),),
    )
    return {hashed: [int(each) for each in ids.split(",")] for hashed, ids in found if ids}


def _candidates(
    store: Store, kinds: Mapping[int, FeatureKind], holders: Mapping[int, Sequence[int]], path: str
) -> dict[int, tuple[int, int]]:
    """Return the hunks worth comparing, best first, each with how many names and features it has in common."""
    weights: dict[int, float] = defaultdict(float)
    names: Counter[int] = Counter()
    shared: Counter[int] = Counter()
    for hashed, ids in holders.items():
        if len(ids) <= COMMON_HUNKS:
            for hunk_id in ids:
                weights[hunk_id] += WEIGHTS[kinds[hashed]] / math.sqrt(len(ids))
                names[hunk_id] += kinds[hashed] == "D"
                shared[hunk_id] += 1
    ranked = sorted(weights, key=lambda each: (-weights[each], -each))[:CANDIDATES_RANKED]
    here = rows(
        store.connection,
        "SELECT h.id FROM json_each(?) JOIN hunks h ON h.id = value JOIN paths p ON p.id = h.path_id WHERE p.path = ?",
        (json.dumps(ranked), path),
    )
    for (hunk_id,) in here:
        weights[hunk_id] *= SAME_PATH_BOOST
    ranked.sort(key=lambda each: (-weights[each], -each))
    least = WEIGHT_SHARE_MIN * weights[ranked[0]] if ranked else 0.0
    return {each: (names[each], shared[each]) for each in ranked[:COMPARED_MAX] if weights[each] >= least}


def _rarity(store: Store, project: int, new: Sequence[str], holders: Mapping[int, Sequence[int]]) -> dict[str, float]:
    """Return how rare each significant line is among the removed code of the project: 1 in one hunk, 0 in all."""
    newest: int = value(store.connection, "SELECT max(id) FROM hunks") or 1
    full = math.log(max(COMMON_HUNKS + 2, newest))
    keys = {key_of(line) for line in new if is_significant(line)}
    counts = {key: len(holders.get(mixed(feature("L", key), project), ())) for key in keys}
    return {key: 1 - math.log(max(1, count)) / full for key, count in counts.items()}


# --- telling -------------------------------------------------------------------------------------


def told(store: Store, session_id: int, hunk_ids: Sequence[int]) -> set[int]:
    """Return those of *hunk_ids* that the session was told of."""
    found = rows(
        store.connection,
        "SELECT hunk_id FROM json_each(?) JOIN tellings ON session_id = ? AND hunk_id = value",
        (json.dumps(list(hunk_ids)), session_id),
    )
    return {row[0] for row in found}


def note_told(store: Store, session_id: int, hunk_ids: Iterable[int], now_ms: int) -> None:
    """Remember that the session was told of *hunk_ids*."""
    ids = json.dumps(list(hunk_ids))
    store.connection.execute(
        "INSERT OR IGNORE INTO tellings (session_id, hunk_id, at) SELECT ?, value, ? FROM json_each(?)",
        (session_id, now_ms, ids),
    )
    store.connection.execute("UPDATE hunks SET cited = cited + 1 WHERE id IN (SELECT value FROM json_each(?))", (ids,))


def count(store: Store, name: str) -> None:
    """Add one to the counter called *name*."""
    store.connection.execute(
        "INSERT INTO counters (name, value) VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1", (name,)
    )


# --- reading -------------------------------------------------------------------------------------

_COLUMNS: Final = (
    "h.id, p.path, h.line, h.gone, h.state, c.at, c.reason, c.commit_sha, coalesce(s.key, ''), h.packed FROM hunks h"
    " JOIN changes c ON c.id = h.change_id JOIN paths p ON p.id = h.path_id LEFT JOIN sessions s ON s.id = c.session_id"
)


def _known(store: Store, where: str, values: Sequence[Any]) -> list[Known]:
    return [Known(*row) for row in rows(store.connection, f"SELECT {_COLUMNS} WHERE {where}", values)]


def hunks_by_ids(store: Store, ids: Iterable[int]) -> list[Known]:
    """Return the hunks with these numbers, in any order."""
    return _known(store, "h.id IN (SELECT value FROM json_each(?))", (json.dumps(list(ids)),))


def hunk_named(store: Store, project: int, hunk_id: int) -> Known | None:
    """Return the hunk *hunk_id* if it is *project*'s."""
    found = _known(store, "h.id = ? AND c.project_id = ?", (hunk_id, project))
    return found[0] if found else None


def newest_hunks(store: Store, project: int, path: str, limit: int) -> tuple[list[Known], int]:
    """Return the newest hunks that took something out of files whose path holds *path*, and how many there are."""
    where = "c.project_id = ? AND h.gone > 0 AND instr(p.path, ?) > 0"
    total = value(
        store.connection,
        "SELECT count(*) FROM hunks h JOIN changes c ON c.id = h.change_id JOIN paths p ON p.id = h.path_id"
        f" WHERE {where}",
        (project, path),
    )
    return _known(store, f"{where} ORDER BY c.at DESC, h.id DESC LIMIT ?", (project, path, limit)), total


def removed_from(store: Store, project: int, paths: Sequence[str], since_ms: int, limit: int) -> list[Known]:
    """Return the newest watched hunks of the files *paths*, the one that took out most of each change first."""
    return _known(
        store,
        "c.project_id = ? AND h.state = 'watched' AND h.gone > 0 AND c.at >= ?"
        " AND p.path IN (SELECT value FROM json_each(?)) ORDER BY c.at DESC, h.gone DESC LIMIT ?",
        (project, since_ms, json.dumps(list(paths)), limit),
    )


# --- the index -----------------------------------------------------------------------------------


def prepare_changes(store: Store) -> None:
    """Make the index of hunks, and fill it again when features or engine are not those it was made with."""
    version = f"{VERSION} {store.engine.name} {store.engine.version}"
    db = store.connection
    if value(db, "SELECT version FROM changes_index") == version:
        return
    db.execute("BEGIN IMMEDIATE")
    try:
        db.execute("DROP TABLE IF EXISTS hunks_fts")
        db.execute(store.engine.create.replace("memories_fts", "hunks_fts"))
        db.execute("DELETE FROM fingerprints")
        ids = [row[0] for row in rows(db, "SELECT id FROM hunks WHERE state = 'watched' AND gone > 0")]
        for hunk_id in ids:
            hunk = _known(store, "h.id = ?", (hunk_id,))[0]
            project = value(
                db, "SELECT project_id FROM changes c JOIN hunks h ON h.change_id = c.id WHERE h.id = ?", (hunk_id,)
            )
            watch(store, project, hunk_id, hunk.path, unpack(hunk.packed).gone, hunk.reason)
        db.execute("INSERT OR REPLACE INTO changes_index (one, version) VALUES (1, ?)", (version,))
        db.execute("COMMIT")
    except BaseException:
        if db.in_transaction:
            db.execute("ROLLBACK")
        raise
