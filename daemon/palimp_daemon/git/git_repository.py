"""Questions to git about commits, bounded in time and bytes.

git's output is untrusted. Without a repository, or if git refuses, the answer is empty.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from palimp_protocol.env.git_command import GitAnswer, is_repository, run_git
from palimp_protocol.limits import GIT_ANSWER_BYTES_MAX

COMMAND_S: Final = 10.0
"""Seconds for one query of git other than the history. No hook waits so long for an origin, but the next gets it."""

FIRST_COMMITS_MAX: Final = 50
"""First commits remembered. Most repositories have one, merged ones some."""


def head_of(tree: Path) -> str:
    """Return HEAD's commit; empty without a commit or repository.

    Raises:
        GitError: git cannot be run, or does not read this repository.
    """
    return answer_of(tree, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")


def lacks_head(tree: Path) -> bool:
    """Tell whether HEAD's commit is missing.

    Raises:
        GitError: git cannot be run, or does not read this repository.
    """
    return not head_of(tree) and bool(answer_of(tree, "rev-parse", "--verify", "--quiet", "HEAD"))


def parent_of(tree: Path, commit: str) -> str:
    """Return the first parent of *commit*; empty without one, or at a shallow clone's end."""
    return answer_of(tree, "rev-parse", "--verify", "--quiet", f"{commit}^")


def is_ancestor(tree: Path, commit: str, of: str) -> bool:
    """Tell whether *commit* is in the history of commit *of*."""
    return is_repository(str(tree)) and ask(tree, "merge-base", "--is-ancestor", commit, of).status == 0


def commits_here(tree: Path, commits: Sequence[str]) -> set[str]:
    """Return the *commits* that the repository has."""
    found = answer_of(tree, "rev-list", "--no-walk", "--ignore-missing", *commits, "--") if commits else ""
    return set(found.split())


def first_commits(tree: Path) -> list[str]:
    """Return the commits without parents, at most FIRST_COMMITS_MAX.

    Empty for a shallow clone: there they are only where it was cut.

    Raises:
        GitError: git cannot be asked, or the history is too long for it to say in time.
    """
    if is_shallow(tree):
        return []
    refs = ("--exclude=refs/notes/*", "--exclude=refs/stash", "--all")
    return answer_of(tree, "rev-list", "--max-parents=0", *refs, "--").split()[:FIRST_COMMITS_MAX]


def is_shallow(tree: Path) -> bool:
    """Tell whether it is a shallow clone."""
    return answer_of(tree, "rev-parse", "--is-shallow-repository") == "true"


def count_commits(tree: Path, revisions: list[str], limit: int) -> int:
    """Count the first-parent commits of *revisions*, up to *limit*."""
    counted = answer_of(tree, "rev-list", "--count", "--first-parent", f"--max-count={limit}", *revisions, "--")
    return int(counted) if counted.isdigit() else 0


def is_partial(tree: Path) -> bool:
    """Tell whether it is a partial clone, with objects left remote."""
    return bool(answer_of(tree, "config", "--get-regexp", r"^(extensions\.partialclone|remote\..*\.promisor)$"))


def ask(tree: Path, *arguments: str, bytes_max: int = GIT_ANSWER_BYTES_MAX, given: bytes = b"") -> GitAnswer:
    """Run git in *tree* with *given* on stdin; return its output.

    Raises:
        GitError: git cannot be run, is too slow, or answers more than *bytes_max*.
    """
    return run_git(str(tree), arguments, os.environ, within_s=COMMAND_S, bytes_max=bytes_max, given=given)


def answer_of(tree: Path, *arguments: str) -> str:
    """Return git's output as text; empty if it fails, or without a repository."""
    if not is_repository(str(tree)):
        return ""
    done = ask(tree, *arguments)
    return done.output.decode("utf-8", "replace").strip("\n") if done.status == 0 else ""
