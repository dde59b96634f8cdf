"""The weight of a word by its rarity, on the same scale in small and large stores."""

from math import log
from typing import Final

MEMORIES_MIN: Final = 200
"""Least assumed number of memories, so that a word of a few is not common."""


def rarity(count: int, memories: int) -> float:
    """Return the weight of a word in *count* of *memories*: 1 in one or none, 0 from half on."""
    everything = max(MEMORIES_MIN, memories)
    return max(0.0, _log_odds(max(1, count), everything) / _log_odds(1, everything))


def _log_odds(count: int, everything: int) -> float:
    return log((everything - count + 0.5) / (count + 0.5)) if count <= everything else 0.0
