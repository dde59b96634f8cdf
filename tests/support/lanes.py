"""How much the tests do: few examples in `make unit`, some on each commit, many in `make nightly` and `make soak`.

Only `make nightly` and `make soak` look for new examples. The others have the same each time, so that nobody's change
is refused for what another one did; `make mutants` has those of `make unit`, and does not look for the shortest that
fails.
"""

import os
from typing import Final

LANE: Final = os.environ.get("PALIMP_LANE", "")
IS_SOAK: Final = LANE == "soak"
IS_MUTANTS: Final = LANE == "mutants"
IS_QUICK: Final = LANE == "quick" or IS_MUTANTS
IS_NIGHTLY: Final = LANE == "nightly"

EXAMPLES: Final = 100
"""Examples of a generated test that names no number of its own."""

ENGINES: Final = ("fts5",) if IS_QUICK else ("fts5", "fts4")
"""Those that a test runs on that is about both: the second is for old SQLites, and waits for `make test`."""

QUICK_PART: Final = 10
"""In `make unit` a generated test has one of so many of its examples: it is run after every change."""

QUICK_MIN: Final = 5
"""Examples that a generated test has in `make unit`, too, if it has as many at all."""

NIGHTLY_TIMES: Final = 5
"""In `make nightly` a generated test has so many times its examples: nobody waits for it."""


def many(fast: int, soak: int) -> int:
    """Return *fast*, or *soak* in `make soak`."""
    return soak if IS_SOAK else fast


def examples(count: int = EXAMPLES) -> int:
    """Return how many examples a generated test has that has *count* in `make test`."""
    if IS_NIGHTLY:
        return count * NIGHTLY_TIMES
    return min(count, max(QUICK_MIN, count // QUICK_PART)) if IS_QUICK else count


def size(most: int) -> int:
    """Return how many parts a generated example has that has *most* in `make test`: a quarter in `make unit`."""
    return max(1, most // 4) if IS_QUICK else most


def steps(count: int) -> int:
    """Return how many steps a life in a model has that has *count* in `make test`: half in `make unit`."""
    return count // 2 if IS_QUICK else count
