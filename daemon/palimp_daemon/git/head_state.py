"""Read HEAD's commit, now and in the past, from git's files: microseconds, not git's milliseconds."""

import os
from pathlib import Path
from typing import Final, NamedTuple

from palimp_protocol.env.plain_files import open_plain
from palimp_protocol.env.project import git_folder_of, read_plain

REF_BYTES_MAX: Final = 4_096
"""Bytes of HEAD, of a branch's file or of `commondir`."""

REFLOG_BYTES_MAX: Final = 1_000_000
"""Bytes read of the reflog's end: some thousand lines."""


class HeadState(NamedTuple):
    """State of git's files that change with HEAD, for comparison only."""

    head: str
    branch: str
    packed: tuple[int, int]
    tables: tuple[int, int]


class Moment(NamedTuple):
    """When (Unix milliseconds) HEAD came to a commit."""

    at: int
    commit: str


def head_state(tree: str) -> HeadState | None:
    """Return the state of HEAD; None without a repository."""
    folder = git_folder_of(tree)
    head = _text(f"{folder}/HEAD") if folder else ""
    if not folder or not head:
        return None
    named = _text(f"{folder}/commondir")  # of a linked worktree: its repository
    common = f"{folder}/{named}" if named and not named.startswith("/") else named or folder
    branch = head.removeprefix("ref: ") if head.startswith("ref: refs/") and ".." not in head else ""
    return HeadState(
        head,
        _text(f"{common}/{branch}") if branch else "",
        _state(f"{common}/packed-refs"),
        _state(f"{common}/reftable/tables.list"),
    )


def reflog_of(tree: str) -> list[Moment]:
    """Read HEAD's reflog, oldest first."""
    folder = git_folder_of(tree)
    if not folder:
        return []
    try:
        with open_plain(Path(folder, "logs", "HEAD")) as stream:
            size = os.fstat(stream.fileno()).st_size
            stream.seek(max(0, size - REFLOG_BYTES_MAX))
            lines = stream.read(REFLOG_BYTES_MAX).split(b"\n")
    except OSError:
        return []
    moments = [_moment(line) for line in lines[size > REFLOG_BYTES_MAX :]]
    return [moment for moment in moments if moment]


def _moment(line: bytes) -> Moment | None:
    fields = line.partition(b"\t")[0].split(b" ")
    if len(fields) < 4 or not fields[-2].isdigit() or len(fields[-2]) > 12 or not _is_name(fields[1]):
        return None
    return Moment(int(fields[-2]) * 1000, fields[1].decode("ascii"))


def _is_name(name: bytes) -> bool:
    return len(name) in (40, 64) and all(digit in b"0123456789abcdef" for digit in name) and name.strip(b"0") != b""


def _text(file: str) -> str:
    return read_plain(file, REF_BYTES_MAX).strip()


def _state(file: str) -> tuple[int, int]:
    try:
        status = os.stat(file)  # noqa: PTH116  a Path takes longer than the question
    except (OSError, ValueError):
        return (0, 0)
    return (status.st_mtime_ns, status.st_size)
