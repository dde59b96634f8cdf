"""Compare new code with a removed hunk, and judge whether it comes back.

Lines are paired in three passes: equal keys; equal shapes, or most tokens in common; the same with renames undone.
`judge` weighs `rarity`, tokens in pairs, and both sides' shares; thresholds were tuned on the development cases.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final, Literal, NamedTuple

from palimp_daemon.codediff.normalize import (
    counts_of,
    has_version,
    is_signature,
    is_significant,
    key_of,
    plain_of,
    shape_of,
    skeleton_of,
    tokens_of,
)

Level = Literal["", "note", "warn"]

LINE_WEIGHT_MAX: Final = 12
"""Tokens of one line that count."""

DICE_MIN: Final = 0.6
"""Least share of common tokens (Dice) of a changed line."""

SHAPE_SCORE: Final = 0.75
"""Score of a pair of equal shapes, if its tokens score less."""

RENAMED_SCORE: Final = 0.9
"""Factor on the score of a pair found by undoing renames."""

DICE_ZERO: Final = 0.2
"""Share of tokens that unrelated lines have in common; scores grow from here to 1."""

TOKENS_MIN: Final = 3
"""Tokens of a line compared by similarity; shorter lines resemble many."""

SHARED_SHARE_MIN: Final = 0.05
"""Common features per line of the shorter side; below, only equal lines are sought: long texts with a chance
resemblance cost most.
"""

SIMILAR_TRIED: Final = 4
"""Hunk lines compared with a free line, those with most common words."""


SETTINGS_MIN: Final = 2
"""Equal lines without a version that count as a return in files of dependencies, versions or build steps."""

SIGNATURES_MIN: Final = 3
"""Signatures that count as a return without bodies: similar classes share fewer."""


class Evidence(NamedTuple):
    """Evidence that a hunk comes back."""

    identical: int
    rarity: float
    shapes: int
    matched: float
    of_new: float
    of_old: float
    names: int
    same_path: bool
    pairs: tuple[tuple[int, int], ...]
    """Indexes of paired lines, in the proposal and in the hunk."""
    is_slight: bool = False
    """Whether it is too slight for a warning: see `_is_slight`."""

    @property
    def both(self) -> float:
        """Geometric mean of both sides' shares."""
        return math.sqrt(self.of_new * self.of_old)

    @property
    def strength(self) -> float:
        """Rank among matches of one level."""
        return (
            self.matched * max(self.of_new, self.of_old)
            + 3 * self.rarity
            + 4 * self.names
            + (1 if self.same_path else 0)
        )


class Place(NamedTuple):
    """Facts about a candidate known before the comparison."""

    same_path: bool
    names: int
    shared: int
    is_exact: bool = False
    is_of_settings: bool = False
    """Whether the file lists dependencies, versions or build steps."""


def compare(new: Sequence[str], old: Sequence[str], rarity: Mapping[str, float], place: Place) -> Evidence:
    """Collect evidence that *new* (lines not in the tree) brings back *old* (lines really removed).

    *rarity* gives 0 to 1 for a line's key; a missing key is fully rare.
    """
    pairing = _Pairing(new, old)
    pairing.pair_equal()
    identical = [i for i, _ in pairing.pairs if is_significant(new[i])]
    if not place.is_exact and place.shared >= SHARED_SHARE_MIN * min(len(new), len(old)):
        pairing.pair_similar()
        if renames := pairing.renames():
            pairing.pair_similar(renames)
    pairs = pairing.pairs
    return Evidence(
        identical=len(identical),
        rarity=sum(rarity.get(key_of(new[i]), 1.0) for i in identical),
        shapes=sum(
            1
            for (i, j) in pairs
            if shape_of(new[i]) and shape_of(new[i]) == shape_of(old[j]) and key_of(new[i]) != key_of(old[j])
        ),
        matched=sum(_weight(new[i]) * score for (i, _), score in pairs.items() if is_significant(new[i])),
        of_new=sum(_weight(new[i]) * score for (i, _), score in pairs.items()) / max(1, sum(map(_weight, new))),
        of_old=sum(_weight(old[j]) * score for (_, j), score in pairs.items()) / max(1, sum(map(_weight, old))),
        names=place.names,
        same_path=place.same_path,
        pairs=tuple(sorted(pairs)),
        is_slight=_is_slight(pairs, new, old, place),
    )


def _is_slight(pairs: Iterable[tuple[int, int]], new: Sequence[str], old: Sequence[str], place: Place) -> bool:
    """Tell whether only lines come back that come and go anyway.

    In any file: mostly lines that differ in numbers. In settings: similar lines, and versions. In code: a signature or
    two, without bodies.
    """
    telling = [(new[i], old[j]) for i, j in pairs if is_significant(new[i])]
    same = [line for line, other in telling if key_of(line) == key_of(other)]
    if place.is_of_settings:
        return sum(not has_version(line) for line in same) < SETTINGS_MIN
    counted = sum(plain_of(line) == plain_of(other) for line, other in telling) - len(same)
    if counted > len(same) and counted * 2 >= len(telling) - len(same):
        return True
    return 0 < len(telling) < SIGNATURES_MIN and place.names < 2 and all(is_signature(line) for line, _ in telling)


def judge(found: Evidence) -> Level:
    """Decide whether to warn, to note, or to be silent."""
    if any(rule(found) for rule in _WARNINGS):
        return "note" if found.is_slight else "warn"
    most = max(found.of_new, found.of_old)
    if found.identical >= 3 and most >= 0.2:
        return "note"
    if found.matched >= 20 and (found.of_new + found.of_old) / 2 >= 0.55 and most >= 0.4:
        return "note"
    return ""


def _same_lines(found: Evidence) -> bool:
    most = max(found.of_new, found.of_old)
    enough = most >= 0.5 or (found.same_path and most >= 0.3) or (found.identical >= 10 and most >= 0.2)
    says_much = found.matched >= 13 or found.of_new >= 0.9
    return enough and says_much and found.identical >= 3 and found.rarity >= 0.5


def _same_shapes(found: Evidence) -> bool:
    if found.identical >= 1 or found.shapes >= 3:
        return found.matched >= 30 and min(found.of_new, found.of_old) >= 0.5
    return found.matched >= 40 and found.both >= 0.55


def _same_file(found: Evidence) -> bool:
    if not found.same_path:
        return False
    if found.identical >= 2 and found.of_new >= 0.7 and found.of_old >= 0.3:
        return True
    if found.identical >= 1 and found.matched >= 25 and found.both >= 0.42:
        return True
    return found.matched >= 20 and found.both >= 0.5


def _same_names(found: Evidence) -> bool:
    return found.same_path and found.names >= 2


def _same_rare_line(found: Evidence) -> bool:
    is_all = found.of_new >= 0.95 and found.of_old >= 0.8
    return found.same_path and is_all and found.identical >= 1 and found.rarity >= 0.75 and found.matched >= 8


_WARNINGS: Final = (_same_lines, _same_shapes, _same_file, _same_names, _same_rare_line)


class _Pairing:
    def __init__(self, new: Sequence[str], old: Sequence[str]) -> None:
        self.new, self.old = new, old
        self.pairs: dict[tuple[int, int], float] = {}
        self._free_new = dict.fromkeys(range(len(new)))
        self._free_old = dict.fromkeys(range(len(old)))

    def _pair(self, i: int, j: int, score: float) -> None:
        self.pairs[i, j] = score
        del self._free_new[i], self._free_old[j]

    def pair_equal(self) -> None:
        places: dict[str, list[int]] = defaultdict(list)
        for j in range(len(self.old) - 1, -1, -1):
            places[key_of(self.old[j])].append(j)
        for i, line in enumerate(self.new):
            if waiting := places.get(key_of(line)):
                self._pair(i, waiting.pop(), 1.0)

    def pair_similar(self, renames: Mapping[str, str] | None = None) -> None:
        if not self._free_new or not self._free_old:
            return
        near = _Near({j: self.old[j] for j in self._free_old})
        found: list[tuple[float, int, int]] = []
        for i in self._free_new:
            tokens = tokens_of(self.new[i])
            if renames:
                tokens = tuple(renames.get(token, token) for token in tokens)
            for j, score in near.to(tokens, shape_of(self.new[i])):
                found.append((score * (RENAMED_SCORE if renames else 1.0), i, j))
        for score, i, j in sorted(found, key=lambda each: (-each[0], abs(each[1] - each[2]))):
            if i in self._free_new and j in self._free_old:
                self._pair(i, j, score)

    def renames(self) -> dict[str, str]:
        if not self._free_new or not self._free_old:
            return {}
        places: dict[str, list[int]] = defaultdict(list)
        for j in self._free_old:
            places[skeleton_of(self.old[j])].append(j)
        alike = [(i, j) for (i, j), score in self.pairs.items() if score < 1.0]
        for i in self._free_new:
            around = places.get(skeleton_of(self.new[i]), ())
            if len(around) == 1:
                alike.append((i, around[0]))
        return _majority_renames((tokens_of(self.new[i]), tokens_of(self.old[j])) for i, j in alike)


def _majority_renames(alike: Iterable[tuple[Sequence[str], Sequence[str]]]) -> dict[str, str]:
    votes: dict[str, Counter[str]] = defaultdict(Counter)
    for mine, theirs in alike:
        if len(mine) == len(theirs):
            for a, b in zip(mine, theirs, strict=True):
                if a != b and a.isidentifier():
                    votes[a][b] += 1
    best = {a: counter.most_common(1)[0] for a, counter in votes.items()}
    return {a: b for a, (b, count) in best.items() if count * 2 > votes[a].total()}


class _Near:
    def __init__(self, lines: Mapping[int, str]) -> None:
        self._counts = {j: counts_of(line) for j, line in lines.items()}
        self._lengths = {j: len(tokens_of(line)) for j, line in lines.items()}
        self._shapes = {j: shape_of(line) for j, line in lines.items()}
        self._by_word: dict[str, list[int]] = defaultdict(list)
        self._by_shape: dict[str, list[int]] = defaultdict(list)
        for j, counts in self._counts.items():
            for token in counts:
                if len(token) > 2:
                    self._by_word[token].append(j)
            if shape := self._shapes[j]:
                self._by_shape[shape].append(j)

    def to(self, tokens: Sequence[str], shape: str) -> list[tuple[int, float]]:
        if len(tokens) < TOKENS_MIN:
            return []
        votes: dict[int, int] = defaultdict(int)
        mine = Counter(tokens)
        for token in mine:
            for j in self._by_word.get(token, ()):
                votes[j] += 1
        for j in self._by_shape.get(shape, ()) if shape else ():
            votes[j] += 1
        nearest = sorted(votes, key=votes.__getitem__, reverse=True)[:SIMILAR_TRIED]
        scores = ((j, self._score(j, mine, len(tokens), shape)) for j in nearest)
        return [(j, score) for j, score in scores if score]

    def _score(self, j: int, mine: Mapping[str, int], length: int, shape: str) -> float:
        theirs = self._counts[j]
        common = sum(min(count, theirs[token]) for token, count in mine.items() if token in theirs)
        dice = 2 * common / (length + self._lengths[j])
        score = (dice - DICE_ZERO) / (1 - DICE_ZERO) if dice >= DICE_MIN else 0.0
        return max(score, SHAPE_SCORE) if shape and shape == self._shapes[j] else score


def _weight(line: str) -> int:
    return min(LINE_WEIGHT_MAX, len(tokens_of(line)))
