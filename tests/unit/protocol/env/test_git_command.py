"""Git is bounded, whatever files a repository names; and it does not stay behind."""

import itertools
import os
import select
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from git_traps import configure
from lanes import IS_QUICK
from repositories import Repository

from palimp_protocol.env import git_command
from palimp_protocol.env.git_command import GitError, RunningGit, run_git

MEMORY_BYTES = 96 * 1024 * 1024
"""Enough for git in a small repository, and soon used up by a file without an end."""


def named_in(key: str) -> Callable[[Path], object]:
    return lambda folder: configure(folder / "config", key, "/dev/zero")


def in_place_of(name: str) -> Callable[[Path], object]:
    def link(folder: Path) -> None:
        (folder / name).parent.mkdir(exist_ok=True, parents=True)
        (folder / name).unlink(missing_ok=True)
        (folder / name).symlink_to("/dev/zero")

    return link


ENDLESS = {
    "core.attributesFile": named_in("core.attributesFile"),
    "info/attributes": in_place_of("info/attributes"),
    "blame.ignoreRevsFile": named_in("blame.ignoreRevsFile"),
    "info/grafts": in_place_of("info/grafts"),
    "objects/info/alternates": in_place_of("objects/info/alternates"),
    "shallow": in_place_of("shallow"),
    "commondir": in_place_of("commondir"),
    "info/exclude": in_place_of("info/exclude"),
    "mailmap.file": named_in("mailmap.file"),
    "include.path": named_in("include.path"),
}
"""Where git reads a file that the repository names, or that came with it."""

ASKED = (
    ("diff-files", "--name-only", "--no-ext-diff", "--"),
    ("blame", "--porcelain", "HEAD", "--", "a.py"),
    ("ls-files", "--others", "--exclude-standard"),
    ("log", "--patch", "--no-ext-diff", "--no-textconv", "--"),
)

QUESTIONS = [
    (name, question)
    for place, name in enumerate(ENDLESS)
    for question in ([ASKED[place % len(ASKED)]] if IS_QUICK else ASKED)
]
"""Each file with each question; in `make unit` each with one."""


@pytest.fixture
def repository(project: Path) -> Repository:
    repository = Repository(project)
    repository.commit("first", a_py="one()\n")
    (project / "a.py").write_text("two()\n")
    return repository


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has limits for another process")
@pytest.mark.parametrize(("name", "question"), QUESTIONS, ids=lambda each: each if isinstance(each, str) else each[0])
def test_a_file_without_an_end_does_not_take_all_memory(repository, monkeypatch, name, question):
    """Git answers without it, or ends: the memory of none grows without bound, and none has to be waited for.

    Also where nobody looked at what it reads before.
    """
    monkeypatch.setattr(git_command, "GIT_MEMORY_BYTES_MAX", MEMORY_BYTES)
    monkeypatch.setattr(git_command, "obstacle", lambda *_: "")
    ENDLESS[name](repository.path / ".git")
    answer = run_git(str(repository.path), question, os.environ, within_s=20)
    assert answer.status == 0 or answer.said


GONE_MS = 20_000

LOOKS = 20

LEFT = """
import os, subprocess, sys, threading
from palimp_protocol.env.git_command import RunningGit, git_command, git_environment
tree, env = sys.argv[1], os.environ
git = RunningGit(git_command(tree, ("status",), env), git_environment(tree, env), 600, stderr=subprocess.DEVNULL)
threading.Thread(target=git.process.stdout.read, daemon=True).start()
sys.stdin.read()
"""


def test_a_git_that_is_waited_for_in_a_thread_ends_with_the_process_that_asked(repository, home):
    """The daemon goes without waiting for what only reads: a named pipe in the configuration is for ever."""
    pipe = home / "pipe"
    os.mkfifo(pipe)
    own = {**os.environ, "GIT_CONFIG_GLOBAL": str(pipe)}
    with subprocess.Popen([sys.executable, "-c", LEFT, str(repository.path)], stdin=subprocess.PIPE, env=own) as asking:
        writing = os.open(pipe, os.O_WRONLY)  # git reads it from here on
        asking.communicate()
    asked = select.poll()
    asked.register(writing, select.POLLERR)  # which comes when nobody reads it any more
    assert asked.poll(GONE_MS)
    os.close(writing)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux says what a process does")
@pytest.mark.parametrize("name", [".gitignore", ".gitattributes"])
def test_a_git_that_only_waits_is_ended_long_before_its_time(repository, name):
    """For a pipe where nobody looked before: in a folder of the tree."""
    folder = repository.path / "folder"
    folder.mkdir()
    (folder / "b.py").write_text("one()\n")
    repository.git("add", "folder/b.py")
    os.mkfifo(folder / name)
    question = {".gitignore": ASKED[2], ".gitattributes": ("diff-index", "--cached", "--patch", "HEAD", "--")}[name]
    with pytest.raises(GitError, match="gives nothing, and was ended"):
        run_git(str(repository.path), question, os.environ, within_s=60)


@pytest.mark.parametrize("is_alive", [True, False])
def test_what_goes_on_a_little_at_a_time_is_not_ended(monkeypatch, is_alive):
    """As on a slow disk; nor that of which nobody knows what it does."""
    steps: Iterator[list[tuple[str, str]] | None] = (
        [("1", str(number))] if is_alive else None for number in itertools.count()
    )
    looks = threading.Semaphore(0)

    def seen(_: int) -> list[tuple[str, str]] | None:
        looks.release()
        return next(steps)

    monkeypatch.setattr(git_command, "_steps", seen)
    monkeypatch.setattr(git_command, "_LOOK_S", 0.001)
    monkeypatch.setattr(git_command, "STALLED_S", 0.0001)
    with RunningGit(["cat"], os.environ, GONE_MS, stderr=subprocess.PIPE, is_given=True, is_read=True) as cat:
        for _ in range(LOOKS):
            assert looks.acquire(timeout=GONE_MS)
        assert cat.process.stdin
        cat.process.stdin.close()
        assert cat.process.wait() == 0
    assert not cat.is_stalled


def test_a_git_that_cannot_be_started_is_named(repository, monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise OSError(12, "Cannot allocate memory")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    with pytest.raises(GitError, match="cannot be started"):
        run_git(str(repository.path), ("status",), os.environ, within_s=9)
