"""How much larger a project is than those on which the bounds of silence and of prompts were fitted.

The best of many is nearer by chance than the best of few, so a bound on the best rises with the logarithm of their
number. `benchmarks/store_sizes.py` prints what comes of it.
"""

from math import log10
from typing import Final

FITTED_ON: Final = 65
"""Memories of each project of benchmarks/truth, give or take three."""


def tenfolds(memories: int) -> float:
    """Return how many times *memories* are ten times as many as those of FITTED_ON; 0 where they are fewer."""
    return log10(max(memories, FITTED_ON) / FITTED_ON)
