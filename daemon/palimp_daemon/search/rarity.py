"""What a word says by how few memories have it: the same of each word in a small store and in a large one."""

from math import log
from typing import Final

MEMORIES_MIN: Final = 200
"""Memories that there are taken to be at least, so that a word of a few is not called common."""


def rarity(count: int, memories: int) -> float:
    """Return what a word says that *count* of *memories* have: 1 if one has it, or none; 0 if half of all do."""
    everything = max(MEMORIES_MIN, memories)
    return max(0.0, _log_odds(max(1, count), everything) / _log_odds(1, everything))


def _log_odds(count: int, everything: int) -> float:
    return log((everything - count + 0.5) / (count + 0.5)) if count <= everything else 0.0
