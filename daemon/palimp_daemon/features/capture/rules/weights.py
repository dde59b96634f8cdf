"""Weights of signs from `weights.tsv`, written by `tools/capture_weights/fit.py`: model, sign, weight.

An empty sign is the constant term; a sign that is not in the table weighs nothing.
"""

import math
from functools import cache
from pathlib import Path
from typing import Final, Literal

Model = Literal["user", "decision", "preference", "correction", "fix", "recap"]
"""Questions about a message: is a user's worth keeping, as which kind; is an agent's a fix, or a recap."""

MODELS: Final[tuple[Model, ...]] = ("user", "decision", "preference", "correction", "fix", "recap")

_FILE: Final = Path(__file__).with_name("weights.tsv")


def odds(model: Model, signs: frozenset[str]) -> float:
    """Return the log odds that *model* gives for *signs*, independent of their order."""
    table = _tables()[model]
    return round(math.fsum([table[""], *(table.get(sign, 0.0) for sign in signs)]), 2)


@cache
def _tables() -> dict[Model, dict[str, float]]:
    """Return the weights of each model, read at the first call: a daemon's start need not pay for them."""
    tables: dict[Model, dict[str, float]] = {model: {} for model in MODELS}
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        model, sign, weight = line.split("\t")
        tables[model][sign] = float(weight)  # pyright: ignore[reportArgumentType]  a model is one of them
    return tables
