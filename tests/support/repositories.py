"""Real git repositories for tests, and `palimp changes` in them."""

import subprocess
from collections.abc import Callable
from pathlib import Path

from claude_hooks import PALIMP

ENVIRONMENT = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "a",
    "GIT_AUTHOR_EMAIL": "a@example.com",
    "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@example.com",
}
"""What git is run with: nothing of the developer's."""

QUICKLY = [
    *("-c", "maintenance.auto=false", "-c", "gc.auto=0"),  # or each commit starts a process that looks around
    *("-c", "core.fsync=none", "-c", "protocol.file.allow=always"),
]
"""How a test's own commands are run."""


def run_git(folder: Path, *arguments: str) -> str:
    """Run git in *folder* and return what it says."""
    command = ["git", "-C", str(folder), *QUICKLY, *arguments]
    # Without a template no samples of hooks are copied into each repository.
    environment = {**ENVIRONMENT, "GIT_TEMPLATE_DIR": ""}
    return subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout.strip()


class Repository:
    """A repository in a folder, with the few commands that tests need."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self.git("init", "--quiet", "--initial-branch=main")

    def git(self, *arguments: str) -> str:
        """Run git and return what it says."""
        return run_git(self.path, *arguments)

    def write(self, name: str, text: str | bytes) -> Path:
        """Write a file."""
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode() if isinstance(text, str) else text)
        return file

    def commit(self, message: str, **files: str | bytes | None) -> str:
        """Write *files* (`a_py` is a.py; None removes it), commit everything and return the commit's name."""
        for name, text in files.items():
            path = name.replace("__", "/").replace("_", ".")
            if text is None:
                (self.path / path).unlink()
            else:
                self.write(path, text)
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", message)
        return self._head()

    def _head(self) -> str:
        """Return the commit's name that is checked out: of a branch from its file, which takes no process."""
        folder = self.path / ".git"
        head = (folder / "HEAD").read_text(encoding="utf-8") if folder.is_dir() else ""
        branch = folder / head.removeprefix("ref: ").strip()
        return (
            branch.read_text(encoding="utf-8").strip() if head and branch.is_file() else self.git("rev-parse", "HEAD")
        )


def changes_command(env: dict[str, str], folder: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Return what runs `palimp changes` in *folder*."""

    def run(*arguments: str, text: str = "", cwd: Path = folder) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*PALIMP, "changes", *arguments], env=env, cwd=cwd, capture_output=True, text=True, check=False, input=text
        )

    return run


def imported(palimp: Callable[..., subprocess.CompletedProcess[str]]) -> None:
    """Have git's history read, which must succeed."""
    done = palimp("import")
    assert done.returncode == 0, done.stderr
