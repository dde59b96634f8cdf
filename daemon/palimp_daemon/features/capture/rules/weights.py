"""What each sign is worth: `weights.tsv`, written by `tools/capture_weights/fit.py`; a model, a sign, a weight a line.

An empty sign is where the sum starts, and one that is not in the table is worth nothing.
"""

import math
from functools import cache
from pathlib import Path
from typing import Final, Literal

Model = Literal["user", "decision", "preference", "correction", "fix", "recap"]
"""What is judged: that a user's words are worth keeping, and as what; that an agent tells of a fix, or recaps."""

MODELS: Final[tuple[Model, ...]] = ("user", "decision", "preference", "correction", "fix", "recap")

_FILE: Final = Path(__file__).with_name("weights.tsv")


def odds(model: Model, signs: frozenset[str]) -> float:
    """Return the logarithm of the odds that *model* gives for *signs*: the same in whatever order they come."""
    table = _tables()[model]
    return round(math.fsum([table[""], *(table.get(sign, 0.0) for sign in signs)]), 2)


@cache
def _tables() -> dict[Model, dict[str, float]]:
    """Return the table of each model; read when that is first asked, which a daemon's start need not pay."""
    tables: dict[Model, dict[str, float]] = {model: {} for model in MODELS}
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        model, sign, weight = line.split("\t")
        tables[model][sign] = float(weight)  # pyright: ignore[reportArgumentType]  a model is one of them
    return tables
