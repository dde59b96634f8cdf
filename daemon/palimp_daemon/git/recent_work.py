"""Read a tree's current work: branch, last commits, changed files.

A large tree's changed files are git's last answer, refreshed in the background: a session's start cannot wait.
"""

import threading
import time
from pathlib import Path
from typing import Final, NamedTuple

from palimp_daemon.codediff.skip_list import is_skipped
from palimp_daemon.git.git_repository import answer_of
from palimp_protocol.env.git_command import GitError

STATUS_S: Final = 0.05
"""Seconds to wait for git's list of changed files, slow in large trees. Three queries take some 10 ms in a small one; a
session's start has 270 ms."""

STATUS_LATER_S: Final = 0.3

TREES_MAX: Final = 64
"""Trees with cached changed files."""

FILTER_KEYS_MAX: Final = 200
"""Filter keys in a repository's configuration: filters have four each, and users one or two filters."""

RECENT_COMMITS: Final = 10
FILES_AT_HAND_MAX: Final = 200
"""Files that count as being worked on."""


class RecentWork(NamedTuple):
    """A tree's branch, subjects of last commits, and files, newest first."""

    branch: str
    subjects: list[str]
    files: list[str]


class _Changed(NamedTuple):
    files: list[str]
    took_s: float


class RecentWorkReader:
    """Reads current work, remembering changed files; waits *status_s* for git's list of them."""

    def __init__(self, status_s: float = STATUS_S) -> None:
        self._status_s = status_s
        self._changed_in: dict[Path, _Changed] = {}

    def read(self, tree: Path) -> RecentWork:
        """Return the current work; empty without a repository.

        Changed files come first (git's list, or its last one where that takes longer), then those of the last commits.
        """
        known = self._changed_in.get(tree)
        is_slow = known is not None and known.took_s >= self._status_s
        # Where it took longer the last time it will now: what it said then must do, and it is asked behind the answer.
        changes = threading.Timer(STATUS_LATER_S if is_slow else 0.0, self._note_changes, (tree,))
        changes.daemon = True
        changes.start()
        branch = ""
        subjects: list[str] = []
        files: list[str] = []
        for entry in (_last_commits(tree, "--name-only") or _last_commits(tree, "--no-patch")).split("\0"):
            for line in filter(None, entry.split("\n")):
                if not line.startswith("\x01"):
                    files.append(line)
                    continue
                _, names, subject = line.split("\x01", 2)
                subjects.append(subject)
                head = next((name for name in names.split(", ") if name.startswith("HEAD -> ")), "")
                branch = branch or head.removeprefix("HEAD -> ")
        changes.join(0.0 if is_slow else self._status_s)
        if changed := self._changed_in.get(tree):
            files = [*changed.files, *files]
        return RecentWork(
            branch, subjects, [path for path in dict.fromkeys(files) if not is_skipped(path)][:FILES_AT_HAND_MAX]
        )

    def _note_changes(self, tree: Path) -> None:
        started = time.monotonic()
        staged: list[str] = []
        # At the same time as the other question: who asked waits for both.
        beside = threading.Thread(target=lambda: staged.extend(_changed_files(tree, _STAGED)), daemon=True)
        beside.start()
        # Not `git status`, which runs git in the submodules.
        files = _changed_files(tree, _in_the_tree(tree))
        beside.join()
        if len(self._changed_in) >= TREES_MAX:
            self._changed_in.clear()
        self._changed_in[tree] = _Changed(list(dict.fromkeys([*files, *staged])), time.monotonic() - started)


def _last_commits(tree: Path, names: str) -> str:
    """Names need trees, which a partial clone may lack."""
    return answer_of(
        tree,
        "log",
        "--first-parent",
        "-m",
        f"--max-count={RECENT_COMMITS}",
        "--no-show-signature",
        "--no-notes",
        "--no-renames",
        "--ignore-submodules=all",
        # The present branch, whatever `log.excludeDecoration` leaves out.
        "--decorate=short",
        "--decorate-refs=HEAD",
        "--decorate-refs=refs/heads/*",
        "--encoding=UTF-8",
        "--format=%x01%D%x01%s",  # of each commit the names that point to it, then its subject
        names,
        "-z",
    )


def _changed_files(tree: Path, question: list[str]) -> list[str]:
    try:
        named = [path for path in answer_of(tree, *question).split("\0") if path] if question else []
    except GitError:
        return []
    # A tree that was copied looks changed as a whole until git refreshes its index.
    return named if len(named) <= FILES_AT_HAND_MAX else []


def _in_the_tree(tree: Path) -> list[str]:
    """Switch filters off by name: git may read a recent file through these programs."""
    try:
        told = answer_of(tree, "config", "--null", "--name-only", "--get-regexp", r"^filter\.")
    except GitError:
        return []
    keys = [key for key in told.split("\0") if key]
    if len(keys) > FILTER_KEYS_MAX or any("=" in key or "\n" in key for key in keys):
        return []
    return [*(part for key in keys for part in ("-c", f"{key}=")), "diff-files", *_QUIET_DIFF, "--"]


_QUIET_DIFF: Final = ("-z", "--name-only", "--no-renames", "--ignore-submodules=all", "--no-ext-diff", "--no-textconv")
_STAGED: Final = ["diff-index", "--cached", *_QUIET_DIFF, "HEAD", "--"]
