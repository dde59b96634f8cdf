"""Lines added by git's next commit."""

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from palimp_protocol.env.git_command import PATCH_OPTIONS, GitError, is_repository, run_git
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import STAGED_BYTES_MAX

HINT: Final = "`git diff --cached` shows what git says of it."

GIT_S: Final = 30
"""Seconds for git to list staged changes."""

_HUNK: Final = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,(\d+))? @@")
"""Number of lines that a hunk adds; none given: one."""


def staged_texts(tree: str, env: Mapping[str, str]) -> dict[str, str]:
    """Return lines about to be committed, by path.

    Raises:
        PalimpError: git cannot say.
    """
    if not is_repository(tree):
        raise PalimpError(ErrorCode.BAD_REQUEST, "This is no git repository.", "Run it inside one.")
    # A hook of `git commit -a`, or of one of some files only, is given an index of its own.
    index = {"GIT_INDEX_FILE": os.path.abspath(env["GIT_INDEX_FILE"])} if env.get("GIT_INDEX_FILE") else {}  # noqa: PTH100  as git resolves it
    try:
        head = run_git(tree, ("rev-parse", "--verify", "--quiet", "HEAD^{commit}"), env, within_s=GIT_S)
        before = head.output.decode().strip() or _empty_tree(tree, env)
        command = ("diff-index", "--cached", *PATCH_OPTIONS, "--find-renames", before, "--")
        done = run_git(tree, command, env, within_s=GIT_S, bytes_max=STAGED_BYTES_MAX, given=b"", **index)
    except GitError as error:
        raise PalimpError(ErrorCode.BAD_REQUEST, f"The staged changes cannot be read: {error}", HINT) from None
    if done.status:
        said = done.said.strip().splitlines() or ["it did not say why"]
        raise PalimpError(ErrorCode.BAD_REQUEST, f"git cannot say what is staged: {said[-1][:300]}.", HINT)
    added = added_lines(done.output.decode("utf-8", "replace"))
    return {str(Path(tree, path)): "\n".join(lines) for path, lines in added.items()}


def _empty_tree(tree: str, env: Mapping[str, str]) -> str:
    kind = run_git(tree, ("rev-parse", "--show-object-format"), env, within_s=GIT_S).output.decode().strip()
    return hashlib.new(kind if kind in ("sha1", "sha256") else "sha1", b"tree 0\0").hexdigest()


def added_lines(diff: str) -> Mapping[str, list[str]]:
    """Return lines added by a *diff* without context, by file."""
    added: dict[str, list[str]] = {}
    path, coming = "", 0
    for line in diff.split("\n"):  # not splitlines: a line of code may hold what that splits at
        if coming and line.startswith("+"):
            coming -= 1
            if path:
                added.setdefault(path, []).append(line[1:].removesuffix("\r"))
        elif line.startswith("+++ "):
            path = _path_in(line[4:])
        elif match := _HUNK.match(line):
            coming = int(match[1] or 1)
    return added


def _path_in(name: str) -> str:
    name = name.removesuffix("\t")  # behind a name with spaces
    if name.startswith('"'):  # one with quotes, backslashes or control characters, as in C
        name = name[1:-1].encode("latin-1", "backslashreplace").decode("unicode_escape")
    return name.removeprefix("b/") if name.startswith("b/") else ""
