"""How much the tests of the catalogue do: enough on every commit, and much in `make soak`."""

import os
from typing import Final

IS_SOAK: Final = os.environ.get("PALIMP_LANE") == "soak"


def many(fast: int, soak: int) -> int:
    """Return *fast*, or *soak* in `make soak`."""
    return soak if IS_SOAK else fast
