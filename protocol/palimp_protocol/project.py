"""Which project a working folder belongs to.

Theory
------
A project is identified by the root of the main worktree: walk up to the innermost `.git`.

* `.git` is a folder with a HEAD: its parent is the root.
* `.git` is a file: a linked worktree (its git folder has a `commondir`) belongs to the main worktree,
  so all worktrees of a repository share one memory (documents stay in each); a submodule (no `commondir`) is
  its own root.
* no `.git`: the working folder itself.
* the home folder and `/` are no projects, even when they are repositories (dotfiles): sessions there
  use the global scope, and a `.git` there does not claim the folders below it.

The client resolves, and the root travels in every request: it sees the mounts that the user sees, and
a hanging mount stalls that one session instead of the daemon.
"""

import os
from collections.abc import Mapping
from os.path import basename, dirname, isfile, join, realpath
from typing import NamedTuple

_GIT_FILE_BYTES_MAX = 4096
"""A `.git` file and a `commondir` hold one path."""


class Project(NamedTuple):
    """A project: the absolute path that identifies it, the name that people read, and the worktree we stand in."""

    root: str
    name: str
    tree: str


def project_from_directory(directory: str, home: str) -> Project | None:
    """Return the project of *directory*, or None for the global scope (*home* and `/`)."""
    start = folder = realpath(directory)
    homes = {realpath(home), "/"}
    while folder not in homes:
        if root := _repository_root(folder):
            return None if root in homes else _project(root, folder)
        folder = dirname(folder)
    return None if start in homes else _project(start, start)


def working_directory(env: Mapping[str, str]) -> str:
    """Return the folder that this process is in; the shell's word for it, when it is gone.

    Raises:
        OSError: it is gone, and nobody says what it was.
    """
    try:
        return os.getcwd()
    except OSError:
        if env.get("PWD", "").startswith("/"):
            return env["PWD"]
        raise


def path_as_text(path: str) -> str:
    """Return *path* as it can be sent and stored: bytes that are no UTF-8 are written out in hexadecimal."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def _project(root: str, tree: str) -> Project:
    text = path_as_text(root)
    return Project(text, basename(text), path_as_text(tree))


def _repository_root(folder: str) -> str | None:
    """Return the project root if *folder* is the top of a worktree."""
    marker = join(folder, ".git")
    if isfile(join(marker, "HEAD")):
        return folder
    git_folder = _path_in(marker, "gitdir:")
    if git_folder is None:
        return None
    common = _path_in(join(git_folder, "commondir"), "")
    return folder if common is None else _main_worktree(common)


def _main_worktree(common: str) -> str:
    """Return the main worktree of the repository whose git folder is *common*."""
    if basename(common) == ".git":
        return dirname(common)
    # A submodule's git folder lies inside its superproject's and names its worktree in its config.
    for line in _read(join(common, "config")).splitlines():
        key, _, value = line.partition("=")
        if key.strip() == "worktree":
            return realpath(join(common, value.strip()))
    return common  # a bare repository has no main worktree


def _path_in(file: str, prefix: str) -> str | None:
    """Return the path that the first line of *file* holds after *prefix*, relative to the file's folder."""
    text = _read(file).split("\n", 1)[0].strip()
    if not text or not text.startswith(prefix):
        return None
    return realpath(join(dirname(file), text.removeprefix(prefix).strip()))


def _read(file: str) -> str:
    """Return the beginning of *file*, or nothing when it is no plain file or cannot be read."""
    try:
        if not isfile(file):  # opening a FIFO would wait for its writer
            return ""
        with open(file, encoding="utf-8", errors="surrogateescape") as stream:
            return stream.read(_GIT_FILE_BYTES_MAX)
    except OSError:
        return ""
