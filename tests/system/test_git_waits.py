"""A repository in which git would wait for ever holds nobody up: sessions are told what is known, commands why not."""

import os
import subprocess
from pathlib import Path

import pytest
from claude_hooks import PALIMP, Agent
from daemon_asking import ask
from git_traps import configure
from repositories import Repository

KNOWN = "The ratelimit is twelve requests a second"


@pytest.fixture
def env(env: dict[str, str]) -> dict[str, str]:
    """On a loaded machine a hook may be late; these tests are not about that."""
    return {**env, "PALIMP_HOOKS_PATIENCE": "20"}


@pytest.fixture
def repository(project: Path, daemon, env) -> Repository:
    """A repository of which something is known."""
    repository = Repository(project)
    repository.commit("first", a_py="one()\n")
    ask(env, project, "save_memory", text=KNOWN)
    assert KNOWN in Agent(env, project, "before").start()
    return repository


def held_up(repository: Repository, where: str) -> Path:
    """Put a named pipe where git reads it."""
    git_folder = repository.path / ".git"
    pipes = {
        "include.path": repository.path / "pipe",
        "info/exclude": git_folder / "info/exclude",
        "refs": git_folder / "refs/heads/other",
        "a folder's attributes": repository.path / "folder/.gitattributes",
    }
    pipe = pipes[where]
    pipe.parent.mkdir(exist_ok=True)
    pipe.unlink(missing_ok=True)
    if where == "include.path":
        configure(git_folder / "config", where, str(pipe))
    if where.startswith("a folder"):
        repository.write("folder/b.py", "two()\n")
        repository.git("add", "folder/b.py")
    os.mkfifo(pipe)
    return pipe


@pytest.mark.parametrize("where", ["include.path", "info/exclude", "refs", "a folder's attributes"])
def test_it_holds_nobody_up(env, repository, where):
    """The session is given what is known, and what is staged is said not to be known, with the reason."""
    pipe = held_up(repository, where)

    assert KNOWN in Agent(env, repository.path, "after").start()
    command = [*PALIMP, "changes", "check", "--staged"]
    done = subprocess.run(command, env=env, cwd=repository.path, capture_output=True, text=True, check=False)

    assert done.returncode == 2
    said = " ".join(done.stderr.split())
    assert "The staged changes cannot be read" in said
    assert "gives nothing, and was ended" in said if where.startswith("a folder") else f"{pipe.name}" in said
    assert "no answer within" not in said
    assert "Traceback" not in said
