"""The Node.js that is here: the machine's, or the one that `make client` installed."""

import shutil
from pathlib import Path
from typing import Final

import pytest

INSTALLED: Final = Path(__file__).parents[2] / ".cache" / "node"
"""Where `make client` installs a Node.js."""

NODE: Final = shutil.which("node") or (str(INSTALLED / "node_modules/.bin/node") if INSTALLED.exists() else None)
needs_node: Final = pytest.mark.skipif(
    NODE is None, reason="it runs in Node.js, which is not on the PATH; `make client` installs one"
)
"""Where `make client` was run, as in `.ci/run`, nothing is skipped: a Node.js that is missing then is a failure."""
