"""Find removed hunks that proposed code reintroduces; note the sessions told."""

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

from palimp_daemon.codediff.fingerprint import WEIGHTS, FeatureKind, feature, features, posting_hash
from palimp_daemon.codediff.match import Evidence, Level, Place, compare, judge
from palimp_daemon.codediff.normalize import code_lines, is_significant, key_of
from palimp_daemon.codediff.skip_list import is_of_settings
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.removed_code.hunks import Known, gone_lines, hunks_by_ids

COMMON_HUNKS: Final = 60
"""A feature of more hunks says nothing, and is not read further."""

COMPARED_MAX: Final = 8
"""Candidates compared line by line."""

COMPARED_LINES: Final = 500
"""Lines of proposal and candidates after which candidates, best first, are compared by equal lines only, to save
time."""

CANDIDATES_RANKED: Final = 64
"""Candidates whose paths are looked up before the best are compared."""

WEIGHT_SHARE_MIN: Final = 0.2
"""Least share of the best one's weight for candidates: none below was right in the development cases."""

SAME_PATH_BOOST: Final = 1.5


class Reintroduction(NamedTuple):
    """A reintroduced hunk, with the evidence."""

    hunk: Known
    level: Level
    evidence: Evidence
    new: list[str]
    """Lines of the proposal that are not in the tree."""
    old: list[str]

    @property
    def same_lines(self) -> list[str]:
        """Lines of the proposal that stand for removed ones."""
        return [self.new[i] for i, _ in self.evidence.pairs]


def returning(
    store: Store, project: int, path: str, new: Sequence[str], alive_names: Iterable[str] = ()
) -> list[Reintroduction]:
    """Return the hunks reintroduced by *new*, lines of *path* not in the tree, best first.

    *alive_names* are defined there.
    """
    new = code_lines(new)
    kinds: dict[int, FeatureKind] = {posting_hash(each, project): kind for each, kind in features(new).items()}
    for name in alive_names:
        kinds.pop(posting_hash(feature("D", name), project), None)
    holders = _holders(store, kinds)
    best = _candidates(store, kinds, holders, path)
    if not best:
        return []
    rarity = _rarity(store, project, new, holders)
    found: list[Reintroduction] = []
    lines = 0
    known = {each.id: each for each in hunks_by_ids(store, best)}
    for hunk_id, (names, shared) in best.items():
        hunk = known[hunk_id]
        old = code_lines(gone_lines(hunk))
        is_exact = lines > COMPARED_LINES
        place = Place(hunk.path == path, names, shared, is_exact=is_exact, is_of_settings=is_of_settings(path))
        lines += len(new) + len(old)
        evidence = compare(new, old, rarity, place)
        if level := judge(evidence):
            found.append(Reintroduction(hunk, level, evidence, new, old))
    return sorted(found, key=lambda each: (each.level != "warn", -each.evidence.strength, -each.hunk.at, -each.hunk.id))


def _holders(store: Store, kinds: Mapping[int, FeatureKind]) -> dict[int, list[int]]:
    found = store.rows(
        "SELECT value, (SELECT group_concat(hunk_id) FROM"
        f" (SELECT hunk_id FROM fingerprints WHERE hash = value LIMIT {COMMON_HUNKS + 1})) FROM json_each(?)",
        (json.dumps(list(kinds)),),
    )
    return {hashed: [int(each) for each in ids.split(",")] for hashed, ids in found if ids}


def _candidates(
    store: Store, kinds: Mapping[int, FeatureKind], holders: Mapping[int, Sequence[int]], path: str
) -> dict[int, tuple[int, int]]:
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
    here = store.rows(
        "SELECT h.id FROM json_each(?) JOIN hunks h ON h.id = value JOIN paths p ON p.id = h.path_id WHERE p.path = ?",
        (json.dumps(ranked), path),
    )
    for (hunk_id,) in here:
        weights[hunk_id] *= SAME_PATH_BOOST
    ranked.sort(key=lambda each: (-weights[each], -each))
    least = WEIGHT_SHARE_MIN * weights[ranked[0]] if ranked else 0.0
    return {each: (names[each], shared[each]) for each in ranked[:COMPARED_MAX] if weights[each] >= least}


def _rarity(store: Store, project: int, new: Sequence[str], holders: Mapping[int, Sequence[int]]) -> dict[str, float]:
    newest: int = store.value("SELECT max(id) FROM hunks") or 1
    full = math.log(max(COMMON_HUNKS + 2, newest))
    keys = {key_of(line) for line in new if is_significant(line)}
    counts = {key: len(holders.get(posting_hash(feature("L", key), project), ())) for key in keys}
    return {key: 1 - math.log(max(1, count)) / full for key, count in counts.items()}


def hunks_told(store: Store, session_id: int, hunk_ids: Sequence[int]) -> set[int]:
    """Return those of *hunk_ids* that the session was told of."""
    return {
        *store.column(
            "SELECT hunk_id FROM json_each(?) JOIN tellings ON session_id = ? AND hunk_id = value",
            (json.dumps(list(hunk_ids)), session_id),
        )
    }


def note_told(store: Store, session_id: int, hunk_ids: Iterable[int], now_ms: int) -> None:
    """Remember that the session was told of *hunk_ids*."""
    ids = json.dumps(list(hunk_ids))
    store.execute(
        "INSERT OR IGNORE INTO tellings (session_id, hunk_id, at) SELECT ?, value, ? FROM json_each(?)",
        (session_id, now_ms, ids),
    )
    store.execute("UPDATE hunks SET cited = cited + 1 WHERE id IN (SELECT value FROM json_each(?))", (ids,))


def count(store: Store, name: str) -> None:
    """Increment the counter *name*."""
    store.execute(
        "INSERT INTO counters (name, value) VALUES (?, 1) ON CONFLICT (name) DO UPDATE SET value = value + 1", (name,)
    )
