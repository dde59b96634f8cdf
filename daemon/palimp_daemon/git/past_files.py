"""Read files of a tree as they were at a time, later versions and present place.

A tree was at its reflog's commit or, before that, its first-parent line's. A file first committed soon after is meant
in that version. After a checkout file times mean nothing.
"""

import stat
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from palimp_daemon.codediff.cited_lines import definitions_in, split_lines
from palimp_daemon.git.head_state import Moment
from palimp_daemon.git.tree_history import (
    RENAMES_MAX,
    LineCommit,
    Object,
    Version,
    commit_at,
    files_ending,
    is_left_out,
    objects_of,
    renamed_in,
    versions_of,
)
from palimp_daemon.git.worktree import text_of
from palimp_daemon.text.citations import Symbol

ARRIVES_WITHIN_MS: Final = 14 * 86_400_000
"""Milliseconds after a text within which its cited files and names may be committed."""

VERSIONS_READ_MAX: Final = 24
"""Versions of a file, the newest, read to find changes of a place in it."""


class Past(NamedTuple):
    """HEAD's first-parent line, newest first, and its reflog, oldest first."""

    line: Sequence[LineCommit]
    reflog: Sequence[Moment] = ()

    @property
    def head(self) -> str:
        """HEAD's commit; empty without one."""
        return self.line[0].sha if self.line else ""

    def commits_at(self, at: int) -> list[str]:
        """Return the commits that the tree may have been at, likeliest first."""
        logged = next((each.commit for each in reversed(self.reflog) if each.at <= at), "")
        return list(dict.fromkeys(each for each in (logged, commit_at(self.line, at)) if each))


class PastFile(NamedTuple):
    """A file or folder: its path *was* at a time, later versions, oldest first, across renames.

    *now* is its path now; empty if it is gone.
    """

    was: str
    at: int
    before: Object | None
    versions: tuple[Version, ...]
    now: str


class PastText(NamedTuple):
    """The lines of a file as meant, and its later versions."""

    lines: list[str]
    versions: tuple[Version, ...]


class PastFiles:
    """Reads past files of *tree*, with few calls of git."""

    def __init__(self, tree: Path, past: Past, since: int) -> None:
        self.tree = tree
        self.past = past
        self.since = since
        self._objects: dict[str, Object] = {}
        self._asked: set[str] = set()
        self._wanted: set[str] = set()
        """Versions that `read` lacked."""
        self._versions: dict[str, list[Version]] = {}
        self._texts: dict[str, list[str]] = {}
        self._renamed: dict[tuple[str, str], str] = {}
        self._endings: dict[tuple[str, str], str] = {}
        self._had: dict[tuple[str, int, Symbol], bool] = {}

    def prepare(self, places: Iterable[tuple[str, int]]) -> None:
        """Load the files at *places* (path, time) together."""
        places = list(places)
        self._load(f"{commit}:{path}" for path, at in places for commit in (*self.past.commits_at(at), self.past.head))
        self._follow(path for path, _ in places)

    def prepare_versions(self) -> bool:
        """Load versions that `read` lacked; tell whether there were any."""
        wanted = sorted(self._wanted)
        self._wanted.clear()
        self._load(wanted)
        return bool(wanted)

    def object(self, name: str) -> Object | None:
        """Return git's object *name*, or None."""
        self._load([name])
        return self._objects.get(name)

    def file(self, path: str, at: int) -> PastFile | None:
        """Return the file that *path* meant then; None if there was none, or its fate is unknown."""
        bases = self.past.commits_at(at)
        before = next((found for base in bases if (found := self.object(f"{base}:{path}"))), None)
        if whole := self._whole_path(bases[-1], path) if before is None and bases else "":
            self.prepare([(whole, at)])
            return self.file(whole, at)
        versions, now = self._chain(path, at)
        is_taken_away = bool(versions) and not versions[-1].blob
        if not now and not is_taken_away and not self._is_deleted(path):
            return None  # it is on another branch, or was never meant to be on the disk
        return None if before is None and not versions else PastFile(path, at, before, tuple(versions), now)

    def before(self, file: PastFile, symbol: Symbol | None = None) -> PastText:
        """Return *file* then, or the version a little later that has it or *symbol*."""
        before = self._lines_of(file.before)
        if _has(before, symbol):
            return PastText(before, file.versions)
        for number, version in enumerate(file.versions):
            if version.at > file.at + ARRIVES_WITHIN_MS:
                break
            text = self._lines_of(self.object(version.blob)) if version.blob else []
            if _has(text, symbol):
                return PastText(text, file.versions[number + 1 :])
        return PastText(before, file.versions)

    def had(self, file: PastFile, symbol: Symbol, *, is_at_once: bool = False) -> bool:
        """Tell whether *file* defined *symbol*; with *is_at_once*, not only a little later."""
        if is_at_once:
            return _has(self._lines_of(file.before), symbol)
        key = (file.was, file.at, symbol)
        if key not in self._had:
            self._had[key] = _has(self.before(file, symbol).lines, symbol)
        return self._had[key]

    def now(self, path: str) -> list[str]:
        """Return a file's lines on the disk; [] if unreadable, or no text."""
        if path not in self._texts:
            text = text_of(self.tree / path)
            self._texts[path] = split_lines(text) if text else []
        return self._texts[path]

    def is_as_it_was(self, file: PastFile) -> bool:
        """Tell whether *file* was last written before its time."""
        try:
            status = (self.tree / file.now).lstat()
        except (OSError, ValueError):
            return False
        return stat.S_ISREG(status.st_mode) and status.st_mtime_ns <= file.at * 1_000_000

    def head_lines(self, path: str) -> list[str]:
        """Return the lines of the file at *path* in HEAD."""
        return self._lines_of(self.object(f"{self.past.head}:{path}"))

    def read(self, versions: Sequence[Version]) -> list[tuple[Version, list[str]]]:
        """Return the newest loaded *versions*; note others for `prepare_versions`."""
        found: list[tuple[Version, list[str]]] = []
        for version in [each for each in versions if each.blob][-VERSIONS_READ_MAX:]:
            if version.blob not in self._asked:
                self._wanted.add(version.blob)
            elif known := self._objects.get(version.blob):
                found.append((version, self._lines_of(known)))
        return found

    # --- what is asked ---------------------------------------------------------------------------

    def _load(self, names: Iterable[str]) -> None:
        new = [name for name in dict.fromkeys(names) if name not in self._asked]
        self._asked.update(new)
        self._objects |= objects_of(self.tree, new)

    def _follow(self, paths: Iterable[str]) -> None:
        new = [path for path in dict.fromkeys(paths) if path not in self._versions]
        self._versions |= versions_of(self.tree, new, self.since)

    def _chain(self, path: str, at: int) -> tuple[list[Version], str]:
        chain: list[Version] = []
        self._follow([path])
        for _ in range(RENAMES_MAX + 1):
            since = max(at, chain[-1].at - 1) if chain else at
            own = [each for each in reversed(self._versions[path]) if each.at > since]
            is_renaming = bool(chain and own) and own[0].commit == chain[-1].commit
            chain = [*(chain[:-1] if is_renaming else chain), *own]
            if exists(self.tree, path):
                return chain, path
            if not own or own[-1].blob or own[-1].path != path:
                break
            commit = own[-1].commit
            if (commit, path) not in self._renamed:
                self._renamed[commit, path] = renamed_in(self.tree, commit, path)
            path = self._renamed[commit, path]
            if not path:
                break
            self._follow([path])
        return chain, ""

    def _whole_path(self, commit: str, ending: str) -> str:
        """Complete a path: people write a name, or a path from their working folder."""
        if exists(self.tree, ending) or any(each.path == ending for each in self._versions.get(ending, ())):
            return ""
        if (commit, ending) not in self._endings:
            found = files_ending(self.tree, commit, ending)
            self._endings[commit, ending] = found[0] if len(found) == 1 else ""
        return self._endings[commit, ending]

    def _is_deleted(self, path: str) -> bool:
        return self.object(f"{self.past.head}:{path}") is not None and not is_left_out(self.tree, path)

    def _lines_of(self, known: Object | None) -> list[str]:
        if known is None or known.text is None:
            return []
        if known.name not in self._texts:
            self._texts[known.name] = split_lines(known.text)
        return self._texts[known.name]


def exists(tree: Path, path: str) -> bool:
    """Tell whether *path* exists in *tree*."""
    try:
        (tree / path).lstat()
    except (OSError, ValueError):
        return False
    return True


def _has(lines: Sequence[str], symbol: Symbol | None) -> bool:
    return bool(lines) and (symbol is None or bool(definitions_in(lines, symbol.name)))
