"""Nothing of the library's own goes out, or is left in the home folder."""

import re
import subprocess
import sys
from pathlib import Path

from palimp_daemon.embedding.worker import runtime

LOADS = "from palimp_daemon.embedding.worker.runtime import onnxruntime; onnxruntime.SessionOptions()"


def test_the_library_s_telemetry_is_off(tmp_path: Path):
    """It would write an identifier of the machine there as soon as it is loaded."""
    env = {"HOME": str(tmp_path), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    subprocess.run([sys.executable, "-c", LOADS], env=env, check=True)
    assert list(tmp_path.rglob("*")) == []


def test_nobody_loads_the_library_past_it():
    loading = re.compile(r"^\s*(?:import|from) onnxruntime\b", re.MULTILINE)
    package = Path(runtime.__file__).parents[2]
    assert [path for path in package.rglob("*.py") if loading.search(path.read_text(encoding="utf-8"))] == [
        Path(runtime.__file__)
    ]
