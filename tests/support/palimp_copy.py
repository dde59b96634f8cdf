"""A copy of palimp's packages that a test changes, with a daemon of its own."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from running_daemon import RunningDaemon, palimp_environment, temporary_home

ROOT = Path(__file__).parents[2]
ROOMS = ("protocol", "clients", "daemon", "shim")


class PalimpCopy(NamedTuple):
    """A copy of palimp in a home, and the environment that runs it."""

    home: Path
    env: dict[str, str]

    def palimp(self, *arguments: str) -> str:
        """Return what the command prints."""
        command = [sys.executable, "-m", "palimp_shim.__main__", *arguments]
        done = subprocess.run(command, env=self.env, cwd=self.home, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout


@contextmanager
def changed_copy(change: Callable[[Path], None]) -> Iterator[PalimpCopy]:
    """Copy palimp, *change* the copy, and run its daemon: one that a client started would be this tree's."""
    with temporary_home() as home:
        for room in ROOMS:
            shutil.copytree(ROOT / room, home / room, ignore=shutil.ignore_patterns("__pycache__"))
        change(home)
        env = palimp_environment(home, PYTHONPATH=os.pathsep.join(str(home / room) for room in ROOMS))
        daemon = RunningDaemon(env)
        daemon.start()
        yield PalimpCopy(home, env)
        daemon.stop()
