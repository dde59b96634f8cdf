"""Sessions as clients wrote them down, by the names of their files: `tests/unit/clients/*/written`."""

from pathlib import Path
from typing import Final

WRITTEN: Final = {path.name: path for path in (Path(__file__).parents[1] / "unit/clients").glob("*/written/*")}
