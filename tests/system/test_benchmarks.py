"""The scripts in benchmarks/ can be run; what they measure is for people to look at."""

import subprocess
import sys
from pathlib import Path

SCRIPTS = Path(__file__).parents[2] / "benchmarks"
PROGRAMS = sorted(path for path in SCRIPTS.rglob("*.py") if "__main__" in path.read_text())

LOAD_EACH = """
import os, runpy, sys
import palimp_daemon.__main__  # nearly every script does, and that is most of its time
for script in sys.argv[1:]:
    if not (forked := os.fork()):
        os.chdir(os.path.dirname(script))
        runpy.run_path(script, run_name="looked_at")
        sys.exit()
    if os.waitpid(forked, 0)[1]:
        print(script)
"""


def test_every_script_can_be_loaded():
    """Whatever it imports is still there, without what another has imported."""
    command = [sys.executable, "-c", LOAD_EACH, *map(str, PROGRAMS)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.split() == [], done.stderr
