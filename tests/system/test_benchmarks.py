"""The scripts in benchmarks/ can be run; what they measure is for people to look at."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[2] / "benchmarks"
PROGRAMS = sorted(path.name for path in SCRIPTS.glob("*.py") if "__main__" in path.read_text())


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_script_can_be_loaded(name: str):
    """Whatever it imports is still there."""
    code = f"import runpy, sys; sys.path.insert(0, '.'); runpy.run_path({str(SCRIPTS / name)!r}, run_name='looked_at')"
    subprocess.run([sys.executable, "-c", code], cwd=SCRIPTS, check=True)
