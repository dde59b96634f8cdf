"""Hash features of code, by kind, to find similar removed hunks.

* L, a significant line;
* S, its shape: the line with renamed variables;
* D, a defined name;
* K, the skeletons of three lines in a row.

A lookup finds candidates for `match`. Alternatives (winnowing, MinHash): docs/adr/0017.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, Literal

from palimp_daemon.codediff.normalize import definitions, is_significant, key_of, shape_of, skeleton_of, tokens_of

VERSION: Final = 2
"""Version of the features; a new one renews the store's fingerprints."""

FeatureKind = Literal["L", "S", "D", "K"]

WEIGHTS: Final[dict[FeatureKind, float]] = {"L": 1.0, "S": 0.6, "D": 1.2, "K": 0.6}

KEPT_MAX: Final[dict[FeatureKind, int]] = {"L": 16, "S": 5, "D": 10, "K": 2}
"""Features of each kind kept per piece of code, those with the smallest hashes, so that two pieces keep the same shared
ones. On the development cases 16 lines do nearly as well as 40, at two thirds of the size.
"""

HASH_BITS: Final = 47
HASH_MASK: Final = (1 << HASH_BITS) - 1

RUN_LINES: Final = 3
RUN_TOKENS_MIN: Final = 18
"""Tokens of a run of lines that make its skeleton distinctive."""


def features(lines: Sequence[str]) -> dict[int, FeatureKind]:
    """Hash all features of *lines*, without blank ones; return kinds by hash."""
    found: dict[int, FeatureKind] = {}
    telling = [line for line in lines if is_significant(line)]
    for line in telling:
        found[feature("L", key_of(line))] = "L"
        if shape := shape_of(line):
            found[feature("S", shape)] = "S"
    for line in lines:
        for name in definitions(line):
            found[feature("D", name)] = "D"
    for run in _runs(telling):
        found[feature("K", run)] = "K"
    return found


def kept_features(lines: Sequence[str]) -> list[int]:
    """Hash the features to store: the KEPT_MAX smallest of each kind."""
    found = features(lines)
    kept: list[int] = []
    counts: Counter[FeatureKind] = Counter()
    for hashed in sorted(found):
        kind = found[hashed]
        if counts[kind] < KEPT_MAX[kind]:
            counts[kind] += 1
            kept.append(hashed)
    return kept


def feature(kind: FeatureKind, text: str) -> int:
    """Hash *text* to HASH_BITS bits: SQLite stores integers up to 48 bits in six bytes."""
    digest = hashlib.blake2b((kind + text).encode("utf-8", "surrogatepass"), digest_size=6).digest()
    return int.from_bytes(digest, "big") >> 1


def owned_hash(hashed: int, owner: int) -> int:
    """Combine a hash with its *owner* (a project, a tree), so that all share a table."""
    return hashed ^ (owner * 0x9E3779B97F4A7C15 & HASH_MASK)


def posting_hash(hashed: int, owner: int) -> int:
    """Return the low 32 bits of `owned_hash`, signed, for the index: collisions only cost comparisons."""
    return (owned_hash(hashed, owner) & 0xFFFF_FFFF) - (1 << 31)


def _runs(lines: Sequence[str]) -> Iterable[str]:
    for first in range(len(lines) - RUN_LINES + 1):
        run = lines[first : first + RUN_LINES]
        if sum(len(tokens_of(line)) for line in run) >= RUN_TOKENS_MIN:
            yield "\n".join(skeleton_of(line) for line in run)
