"""Run git: the one place where a git command is made.

Many keys of a stranger's git configuration name programs. So git runs only where the tree itself has a `.git` (a bare
one could be delivered), with a new environment; such keys are overridden, commands that use others are not run, and
nothing is fetched. Answers are bounded in size, time and memory.
"""

import atexit
import contextlib
import math
import os
import resource
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from os.path import dirname, isabs, isdir, isfile, islink, join
from typing import IO, Final, NamedTuple, Self

from palimp_protocol.env.git_reads import obstacle
from palimp_protocol.env.project import git_folder_of, read_plain
from palimp_protocol.limits import GIT_ANSWER_BYTES_MAX, GIT_MEMORY_BYTES_MAX

_KEPT: Final = (
    "HOME",
    "XDG_CONFIG_HOME",
    "LANG",
    "TMPDIR",
    # Where the user's own configuration is, which says what is ignored and which folders of others are safe.
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_SYSTEM",
    "GIT_CONFIG_NOSYSTEM",
)

_SET: Final[Mapping[str, str]] = {
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_PROTOCOL_FROM_USER": "0",
    "GIT_SSH_COMMAND": "false",
    "GIT_PROXY_COMMAND": "false",
    "GIT_ASKPASS": "false",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "GIT_EDITOR": "false",
    "LC_ALL": "C.UTF-8",
}

_CONFIGURATION: Final = (
    # What runs a program, or reaches out, in a command that reads.
    "core.fsmonitor=",  # not "false": git before 2.36 runs a program of that name
    "core.virtualFilesystem=",  # in Microsoft's git
    "core.useGvfsHelper=false",  # as well
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "core.sshCommand=false",
    "core.askPass=false",
    "credential.helper=",
    "log.showSignature=false",
    "safe.bareRepository=explicit",
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "fetch.bundleURI=",
    "protocol.allow=never",
    "gc.auto=0",
    "maintenance.auto=false",
    # What changes the form of an answer, or makes git refuse one.
    "color.ui=false",
    "color.diff=false",
    "core.quotePath=false",
    "diff.algorithm=default",
    "diff.ignoreSubmodules=all",
    "diff.interHunkContext=0",
    "diff.mnemonicPrefix=false",
    "diff.noPrefix=false",
    "diff.orderFile=/dev/null",
    "diff.relative=false",
    "diff.submodule=short",
    "format.pretty=medium",
    "i18n.logOutputEncoding=UTF-8",
    "mailmap.blob=",
    "mailmap.file=",  # no name is mapped; and it may have no end
    "log.date=default",
    "log.diffMerges=separate",
    "log.follow=false",
    "log.mailmap=false",
    "log.showRoot=true",
)

PATCH_OPTIONS: Final = (
    "--patch",
    "--unified=0",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
    "--ignore-submodules=all",
    "--submodule=short",
    "--src-prefix=a/",
    "--dst-prefix=b/",
    "-O/dev/null",
)
"""Git's own patch format, without context."""

_SAID_BYTES_MAX: Final = 4_096
"""Bytes kept of git's errors."""

_READ_BYTES: Final = 64 * 1024

STALLED_S: Final = 2.0
"""Seconds without activity until git is ended: it waits for a file that yields nothing. Slow disks and networks cause
some activity.
"""

_THREADS_MAX: Final = 1_000
"""Threads looked at; git has one per processor."""

_LOOK_S: Final = 0.5
"""Seconds between two looks for activity; most calls end before the first."""


class GitError(Exception):
    """git cannot answer; the text says why, with a remedy."""


class GitAnswerTooLongError(GitError):
    """git's output is over its bound."""


class GitAnswer(NamedTuple):
    """Exit code, output, and beginning of the error messages."""

    status: int
    output: bytes
    said: str


def is_repository(tree: str) -> bool:
    """Tell whether *tree* has its own valid git folder."""
    folder = git_folder_of(tree)
    if folder is None:
        return False
    head = join(folder, "HEAD")
    # A linked worktree's git folder has no objects of its own; git looks them up by `commondir`.
    is_linked = isfile(join(folder, "commondir"))
    return (isfile(head) or islink(head)) and (
        is_linked or (isdir(join(folder, "objects")) and isdir(join(folder, "refs")))
    )


def program(name: str, env: Mapping[str, str]) -> str | None:
    """Return a program's path, without relative folders of PATH, or None."""
    return shutil.which(name, path=_absolute(env.get("PATH", os.defpath)))


def git_command(tree: str, arguments: Sequence[str], env: Mapping[str, str]) -> list[str]:
    """Return the command for git with *arguments* in *tree*.

    Raises:
        GitError: there is no git, *tree* is no working tree's top, or something in it would hold git up.
    """
    git = program("git", env)
    if git is None:
        raise GitError("git is not installed.")
    if not is_repository(tree):
        raise GitError(f"{tree} is no git repository.")
    if problem := obstacle(tree, env):
        raise GitError(f"git is not asked, since it would not come back: {problem}")
    settings = [part for setting in _CONFIGURATION for part in ("-c", setting)]
    return [git, "--no-pager", "-C", tree, *settings, *arguments]


def git_environment(tree: str, env: Mapping[str, str], **more: str) -> dict[str, str]:
    """Return git's environment in *tree*, with *more* variables."""
    kept = {name: env[name] for name in _KEPT if name in env}
    search_path = _absolute(env.get("PATH", os.defpath))
    # git looks no further up than the tree itself.
    return {**kept, **_SET, "PATH": search_path, "GIT_CEILING_DIRECTORIES": dirname(tree), **more}


class RunningGit:
    """A git process with a pipe, in its own session, bounded, until the end of a `with`."""

    is_late = False
    is_stalled = False

    def __init__(
        self,
        command: Sequence[str],
        environment: Mapping[str, str],
        within_s: float,
        *,
        stderr: int,
        is_given: bool = False,
        is_read: bool = False,
    ) -> None:
        """Start *command* for *within_s* seconds; *is_given*: it reads a pipe.

        *is_read*: nothing makes it wait, so it is ended when idle for STALLED_S.

        Raises:
            GitError: it cannot be started.
        """
        try:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE if is_given else subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stderr,
                env=environment,
                start_new_session=True,  # so that it can be ended with what it started
            )
        except (OSError, ValueError) as error:
            raise GitError(f"git cannot be started: {error}.") from None
        # It would stay when this process goes while a thread waits for it.
        atexit.register(self.kill)
        # From outside, since nothing may be run in a copy of a process with threads; git takes no memory to speak of
        # before. Elsewhere than in Linux it is not bounded.
        if hasattr(resource, "prlimit"):
            _limit_process(self.process.pid, resource.RLIMIT_DATA, GIT_MEMORY_BYTES_MAX)
            _limit_process(self.process.pid, resource.RLIMIT_CPU, math.ceil(within_s) + 1)
        # It may wait for ever: for a named pipe in its configuration, say.
        self._ended = threading.Event()
        watch = self._watch if is_read else self._wait
        threading.Thread(target=watch, args=(time.monotonic() + within_s,), daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self.kill()
        self.process.wait()
        atexit.unregister(self.kill)
        for pipe in (self.process.stdout, self.process.stderr):
            if pipe is not None:
                pipe.close()

    def kill(self) -> None:
        """End it, with its children."""
        if self.process.returncode is None:  # else its number may be another's
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.process.pid, signal.SIGKILL)

    def _wait(self, ends_at: float) -> None:
        if not self._ended.wait(max(0.0, ends_at - time.monotonic())):
            self.is_late = True
            self.kill()

    def _watch(self, ends_at: float) -> None:
        steps, since = None, time.monotonic()
        while not self._ended.wait(max(0.0, min(_LOOK_S, ends_at - time.monotonic()))):
            now, seen = time.monotonic(), _steps(self.process.pid)
            if seen is None or seen != steps:
                steps, since = seen, now
            self.is_late, self.is_stalled = now >= ends_at, now - since >= STALLED_S
            if self.is_late or self.is_stalled:
                self.kill()
                return


def _steps(pid: int) -> list[tuple[str, str]] | None:
    """Return each thread with its context switches; None: one runs, or unknown."""
    found: list[tuple[str, str]] = []
    waiting = [str(pid)]
    try:
        while waiting and len(found) < _THREADS_MAX:
            of = f"/proc/{waiting.pop()}/task"
            for thread in os.listdir(of):
                status = dict(
                    line.split(":", 1) for line in read_plain(f"{of}/{thread}/status", _READ_BYTES).splitlines()
                )
                if status["State"].strip()[:1] != "S":
                    return None
                found.append((thread, status["voluntary_ctxt_switches"].strip()))
                waiting += read_plain(f"{of}/{thread}/children", _READ_BYTES).split()
    except (OSError, KeyError, ValueError):
        return None
    return sorted(found)


def _limit_process(pid: int, kind: int, bound: int) -> None:
    with contextlib.suppress(OSError):
        _, hard = resource.prlimit(pid, kind)
        bound = bound if hard == resource.RLIM_INFINITY else min(bound, hard)
        resource.prlimit(pid, kind, (bound, bound))


def run_git(
    tree: str,
    arguments: Sequence[str],
    env: Mapping[str, str],
    *,
    within_s: float,
    bytes_max: int = GIT_ANSWER_BYTES_MAX,
    given: bytes = b"",
    **more: str,
) -> GitAnswer:
    """Run git with *arguments* in *tree*; *given* is its input.

    Raises:
        GitError: there is no git, it does not end, says more than *bytes_max*, or refuses *tree*.
    """
    command, environment = git_command(tree, arguments, env), git_environment(tree, env, **more)
    with RunningGit(command, environment, within_s, stderr=subprocess.PIPE, is_given=bool(given), is_read=True) as git:
        if git.process.stdin is not None:
            # While it is read: git answers what it has read before it reads the rest.
            threading.Thread(target=_feed, args=(git.process.stdin, given), daemon=True).start()
        answer = _read(git, bytes_max)
    if git.is_stalled:
        raise GitError(f"git waits for something in {tree} that gives nothing, and was ended.")
    if git.is_late:
        raise GitError(f"git gave no answer within {within_s:g} s.")
    if len(answer.output) > bytes_max:
        raise GitAnswerTooLongError(f"git's answer is longer than {bytes_max:,} bytes.")
    if problem := refusal(answer.said, tree):
        raise GitError(problem)
    return answer


def refusal(said: str, tree: str) -> str:
    """Return a sentence if git *said* that it distrusts *tree*'s owner; else empty."""
    if "dubious ownership" not in said and "unsafe repository" not in said:
        return ""
    return (
        f"git does not read {tree}, since it belongs to another user. If you trust it:"
        f" `git config --global --add safe.directory {tree}`."
    )


def _absolute(search_path: str) -> str:
    return os.pathsep.join(folder for folder in search_path.split(os.pathsep) if isabs(folder))


def _read(git: RunningGit, bytes_max: int) -> GitAnswer:
    process = git.process
    assert process.stdout is not None  # noqa: S101  both were asked for
    assert process.stderr is not None  # noqa: S101
    said = bytearray()
    listener = threading.Thread(target=_listen, args=(process.stderr, said), daemon=True)
    listener.start()
    output = process.stdout.read(bytes_max + 1)
    if len(output) > bytes_max:
        git.kill()
    status = process.wait()
    listener.join()
    return GitAnswer(status, output, said.decode("utf-8", "replace"))


def _feed(stream: IO[bytes], given: bytes) -> None:
    with contextlib.suppress(OSError, ValueError), stream:
        stream.write(given)


def _listen(stream: IO[bytes], said: bytearray) -> None:
    while part := stream.read(_READ_BYTES):
        said += part[: _SAID_BYTES_MAX - len(said)]
