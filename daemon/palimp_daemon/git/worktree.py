"""List a working tree's files, their states, and lines' hashes.

git lists them (tracked and untracked, not ignored), or else a walk.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final, NamedTuple

from palimp_daemon.codediff.fingerprint import feature
from palimp_daemon.codediff.normalize import definitions, line_key
from palimp_daemon.codediff.skip_list import FILE_BYTES_MAX, is_skipped, is_unreadable
from palimp_protocol.env.git_command import GitError, is_repository, run_git
from palimp_protocol.env.plain_files import open_plain

TREE_FILES_MAX: Final = 50_000
"""Files read of one tree, to bound a refresh's cost."""

LISTING_S: Final = 5.0
"""Seconds for git to list them."""


class FileState(NamedTuple):
    """Modification time and size of a file."""

    mtime_ns: int
    size: int


class ReadFile(NamedTuple):
    """A file, and the hashes of its lines."""

    path: str
    state: FileState
    hashes: frozenset[int]


def files_of(tree: Path) -> list[str]:
    """List people's files as relative paths, at most TREE_FILES_MAX."""
    listed = _list_by_git(tree)
    paths = listed if listed is not None else _walk(tree)
    found: list[str] = []
    for path in paths:
        if not is_skipped(path):
            found.append(path)
            if len(found) == TREE_FILES_MAX:
                break
    return found


def states_of(tree: Path, paths: Iterable[str]) -> dict[str, FileState]:
    """Return the states of plain files among *paths*."""
    states: dict[str, FileState] = {}
    for path in paths:
        try:
            status = os.lstat(f"{tree}/{path}")  # joined as text: a Path each takes longer than the question
        except OSError:
            continue
        if stat.S_ISREG(status.st_mode) and status.st_size <= FILE_BYTES_MAX:
            states[path] = FileState(status.st_mtime_ns, status.st_size)
    return states


def changed_files(known: Mapping[str, FileState], now: Mapping[str, FileState]) -> tuple[list[str], list[str]]:
    """Return the new and changed paths, and the removed ones."""
    return [path for path, state in now.items() if known.get(path) != state], [
        path for path in known if path not in now
    ]


def read_file(tree: Path, path: str, state: FileState) -> ReadFile:
    """Hash a file's lines; none if unreadable."""
    return ReadFile(path, state, line_hashes(text_of(tree / path)))


def text_of(file: Path) -> str:
    """Return a file's text; empty if missing, too large, not text, or generated."""
    try:
        with open_plain(file) as stream:
            data = stream.read(FILE_BYTES_MAX + 1)
    except OSError:
        return ""
    text = data.decode("utf-8", "replace") if len(data) <= FILE_BYTES_MAX else ""
    return "" if is_unreadable(text) else text


def line_hashes(text: str) -> frozenset[int]:
    """Hash the lines of *text*, and the names it defines."""
    hashes: set[int] = set()
    for line in text.splitlines():
        if key := line_key(line):
            hashes.add(feature("L", key))
            hashes.update(feature("D", name) for name in definitions(line))
    return frozenset(hashes)


def _list_by_git(tree: Path) -> list[str] | None:
    if not is_repository(str(tree)):
        return None
    listing = ("ls-files", "-z", "--cached", "--others", "--exclude-standard")
    try:
        done = run_git(str(tree), listing, os.environ, within_s=LISTING_S)
    except GitError:
        return None
    if done.status:
        return None
    # A file whose merge is not done is listed more than once.
    return [os.fsdecode(path) for path in dict.fromkeys(done.output.split(b"\0")) if path and is_text(path)]


def _walk(tree: Path) -> Iterator[str]:
    for folder, folders, names in os.walk(tree):
        below = Path(folder).relative_to(tree).as_posix()
        folders[:] = sorted(name for name in folders if not name.startswith(".") and not is_skipped(f"{name}/x"))
        for name in sorted(names):
            path = name if below == "." else f"{below}/{name}"
            if is_text(os.fsencode(path)):
                yield path


def is_text(path: bytes) -> bool:
    """Tell whether a path is UTF-8, as stored."""
    try:
        path.decode()
    except UnicodeDecodeError:
        return False
    return True


def relative_to(tree: str, file: str) -> str | None:
    """Return *file* relative to *tree*, or None if elsewhere. Links are followed in both."""
    root, path = os.path.realpath(tree), os.path.realpath(Path(tree, file))
    inside = os.path.relpath(path, root)
    return None if inside.startswith("..") or Path(inside).is_absolute() else Path(inside).as_posix()
