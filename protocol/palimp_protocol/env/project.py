"""The project of a folder: the main worktree's root above it, else itself; home and `/` are in none.

An archive's `.git` file can name any folder: a linked worktree, or a `core.worktree`, counts only if git's files there
lead back. Clients resolve it: they see the user's mounts, and a hanging one stalls no daemon.
"""

import os
import stat
from collections.abc import Mapping
from os.path import basename, dirname, isdir, isfile, islink, join, realpath
from typing import NamedTuple

_PATH_BYTES_MAX = 8 * 1024
"""Bytes of a file with one path: PATH_MAX is 4,096 in Linux."""

_CONFIG_BYTES_MAX = 1024 * 1024
"""Bytes of a repository's configuration; a submodule's has some hundred."""


class Project(NamedTuple):
    """A project: identifying absolute path, name, and worktree."""

    root: str
    name: str
    tree: str


def project_from_directory(directory: str, home: str) -> Project | None:
    """Return *directory*'s project; None: the global scope (*home* and `/`)."""
    start = folder = realpath(directory)
    homes = {realpath(home), "/"}
    while folder not in homes:
        if root := _repository_root(folder):
            return None if root in homes else _project(root, folder)
        folder = dirname(folder)
    return None if start in homes else _project(start, start)


def working_directory(env: Mapping[str, str]) -> str:
    """Return the working folder; if it is gone, by the shell's word.

    Raises:
        OSError: it is gone, and unnamed.
    """
    try:
        return os.getcwd()
    except OSError:
        if env.get("PWD", "").startswith("/"):
            return env["PWD"]
        raise


def path_as_text(path: str) -> str:
    """Return *path* with non-UTF-8 bytes in hexadecimal."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def git_folder_of(folder: str) -> str | None:
    """Return the git folder that *folder*'s `.git` is or names, if any."""
    marker = join(folder, ".git")
    return marker if isdir(marker) else path_in(marker, "gitdir: ")


def _project(root: str, tree: str) -> Project:
    text = path_as_text(root)
    return Project(text, basename(text), path_as_text(tree))


def _repository_root(folder: str) -> str | None:
    marker = join(folder, ".git")
    if isfile(join(marker, "HEAD")) or islink(join(marker, "HEAD")):
        return folder
    git_folder = path_in(marker, "gitdir: ")
    if git_folder is None:
        return None
    common = _confirmed_repository(git_folder, folder)
    if common is None and git_folder.startswith(folder + "/") and _is_whole_repository(git_folder):
        common = git_folder  # it lies in this folder: no other one can be meant
    return folder if common is None else _main_worktree(common)


def _confirmed_repository(git_folder: str, folder: str) -> str | None:
    common = path_in(join(git_folder, "commondir"), "")
    if common is None or dirname(git_folder) != join(common, "worktrees") or not isfile(join(common, "HEAD")):
        return None
    named = _text_in(join(git_folder, "gitdir"), "")
    if named is None or basename(named) != ".git":
        return None
    # Relative ones (git 2.48) are so to the git folder. The `.git` itself is not followed, in case it is a link.
    return common if _resolve(join(git_folder, dirname(named))) == folder else None


def _is_whole_repository(git_folder: str) -> bool:
    is_linked = isfile(join(git_folder, "commondir")) or islink(join(git_folder, "commondir"))
    return isfile(join(git_folder, "HEAD")) and isdir(join(git_folder, "objects")) and not is_linked


def _main_worktree(common: str) -> str:
    if basename(common) == ".git":
        return dirname(common)
    # A submodule's git folder lies inside its superproject's and names its worktree in its config.
    for line in read_plain(join(common, "config"), _CONFIG_BYTES_MAX).splitlines():
        key, _, value = line.partition("=")
        if key.strip().lower() == "worktree":
            tree = _resolve(join(common, _unquote(value.strip())))
            is_confirmed = tree is not None and path_in(join(tree, ".git"), "gitdir: ") == common
            return tree if tree is not None and is_confirmed else common
    return common  # a bare repository has no main worktree


def _unquote(value: str) -> str:
    """Git quotes a value with special characters."""
    if len(value) > 1 and value[0] == value[-1] == '"':
        value = value[1:-1]
    return value.replace('\\"', '"').replace("\\\\", "\\")


def path_in(file: str, prefix: str) -> str | None:
    """Return the resolved path after *prefix* in *file*, relative to its folder."""
    text = _text_in(file, prefix)
    return None if text is None else _resolve(join(dirname(file), text))


def _text_in(file: str, prefix: str) -> str | None:
    text = read_plain(file, _PATH_BYTES_MAX).rstrip("\r\n")
    return text.removeprefix(prefix) or None if text.startswith(prefix) else None


def _resolve(path: str) -> str | None:
    try:
        return realpath(path)
    except (OSError, ValueError):  # NUL
        return None


def read_plain(file: str, bytes_max: int) -> str:
    """Return *file*'s text; empty if it is no plain file, over *bytes_max*, or unreadable."""
    try:
        # A FIFO would wait for its writer.
        descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except (OSError, ValueError):
        return ""
    try:
        data = os.read(descriptor, bytes_max + 1) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""
    except OSError:
        return ""
    finally:
        os.close(descriptor)
    return os.fsdecode(data) if len(data) <= bytes_max else ""
