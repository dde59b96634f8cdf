"""Weights of signs from `weights.tsv`; an empty sign is the constant term, an unlisted one weighs nothing."""

import math
from functools import cache
from pathlib import Path
from typing import Final, Literal

Model = Literal["user", "correction", "preference", "fix", "recap"]
"""Questions on a message. A user's: worth keeping, a correction, or else a preference (not a decision)? An agent's: a
fix, or a recap?"""

MODELS: Final[tuple[Model, ...]] = ("user", "correction", "preference", "fix", "recap")

_FILE: Final = Path(__file__).with_name("weights.tsv")


def odds(model: Model, signs: frozenset[str]) -> float:
    """Return the log odds of *signs*, independent of order."""
    table = tables()[model]
    return round(math.fsum([table[""], *(table.get(sign, 0.0) for sign in signs)]), 2)


@cache
def tables() -> dict[Model, dict[str, float]]:
    """Return the weights of each model, read at the first call."""
    found: dict[Model, dict[str, float]] = {model: {} for model in MODELS}
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        model, sign, weight = line.split("\t")
        found[model][sign] = float(weight)  # pyright: ignore[reportArgumentType]  a model is one of them
    return found
