"""The scripts in benchmarks/ can be run; what they measure is for people to look at."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "benchmarks"
PROGRAMS = sorted(path for path in SCRIPTS.rglob("*.py") if "__main__" in path.read_text())


@pytest.mark.parametrize("script", PROGRAMS, ids=lambda path: path.stem)
def test_a_script_can_be_loaded(script: Path):
    """Whatever it imports is still there."""
    code = f"import runpy, sys; sys.path.insert(0, '.'); runpy.run_path({str(script)!r}, run_name='looked_at')"
    subprocess.run([sys.executable, "-c", code], cwd=script.parent, check=True)
