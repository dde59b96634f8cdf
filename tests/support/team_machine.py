"""A machine of a team for tests: a home with a project, in which somebody types."""

import json
import subprocess
import sys
from pathlib import Path

from running_daemon import palimp_environment


class Machine:
    """A home with a project, in which commands are typed."""

    def __init__(self, home: Path) -> None:
        self.env = palimp_environment(home, PALIMP_TEAM_HOLD="0", PALIMP_HOOKS_PATIENCE="100")
        self.project = home / "shop"
        self.project.mkdir()

    def run(self, *words: str, status: int | None = 0, typed: str = "") -> str:
        """Run `palimp` in the project, with what is *typed* in a pipe; return what it prints. None: any *status*."""
        done = subprocess.run(
            [sys.executable, "-m", "palimp_shim", *words],
            env=self.env,
            cwd=self.project,
            capture_output=True,
            text=True,
            check=False,
            input=typed,
            timeout=120,
        )
        assert status in (None, done.returncode), (words, done.returncode, done.stdout, done.stderr)
        return done.stdout + done.stderr

    def json(self, *words: str, status: int = 0) -> dict:
        """Run `palimp` in the project; return its reply."""
        return json.loads(self.run(*words, "--json", status=status))

    def has(self, text: str) -> bool:
        """Tell whether a memory of the project has *text*."""
        return any(text in memory["content"] for memory in self.json("list", "--detail", "full").get("memories", []))
