"""Adapt the bounds of silence and of prompts to projects larger than those they were fitted on.

The best of many is nearer by chance, so its bound rises with the logarithm of their number
(`benchmarks/store_sizes.py`).
"""

from math import log10
from typing import Final

FITTED_ON: Final = 65
"""Memories per project of benchmarks/truth, give or take three."""


def tenfolds(memories: int) -> float:
    """Return log10 of *memories* / FITTED_ON, at least 0."""
    return log10(max(memories, FITTED_ON) / FITTED_ON)
