"""Find the files that define a name, now or at a commit."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from palimp_daemon.codediff.cited_lines import definitions_in
from palimp_daemon.git.past_files import PastFile, PastFiles
from palimp_daemon.git.tree_history import code_with, defining_files
from palimp_daemon.text.citations import Symbol
from palimp_protocol.env.git_command import GitAnswerTooLongError, GitError

CANDIDATES_MAX: Final = 8
"""Files with a line that looks like a definition, read to confirm it."""


class DefiningFiles:
    """Finds files by the names they define; none in too large a tree."""

    def __init__(self, files: PastFiles) -> None:
        self._files = files
        self._found: dict[tuple[str, str], list[str]] = {}
        self._in_code: dict[str, bool] = {}

    def prepare(self, names: Iterable[str]) -> None:
        """Search for all *names* with one call of git."""
        wanted = sorted(set(names))
        try:
            found = defining_files(self._files.tree, wanted)
        except GitAnswerTooLongError:
            return  # each is asked for by itself
        except GitError:
            found = {name: list[str]() for name in wanted}
            self._in_code |= dict.fromkeys(wanted, True)
        self._found |= {("", name): paths for name, paths in found.items()}

    def now(self, symbol: Symbol) -> list[str]:
        """Return the files that define *symbol* now; beyond CANDIDATES_MAX, those that may."""
        paths = self._defining(symbol.name, "")
        if len(paths) <= CANDIDATES_MAX:
            paths = [path for path in paths if definitions_in(self._files.now(path), symbol.name)]
            within = [path for path in paths if definitions_in(self._files.now(path), symbol.name, symbol.within)]
            paths = within if symbol.within and within else paths
        return _with_stem(paths, symbol)

    def then(self, symbol: Symbol, at: int) -> list[PastFile]:
        """Return the files that defined *symbol* then; [] beyond CANDIDATES_MAX."""
        bases = self._files.past.commits_at(at)
        paths = _with_stem(self._defining(symbol.name, bases[0]), symbol) if bases else []
        return self.having(paths, symbol, at) if len(paths) <= CANDIDATES_MAX else []

    def having(self, paths: Sequence[str], symbol: Symbol, at: int) -> list[PastFile]:
        """Return the *paths* that defined *symbol* at a time."""
        self._files.prepare((path, at) for path in paths)
        files = (self._files.file(path, at) for path in paths)
        return [file for file in files if file and self._files.had(file, symbol)]

    def is_in_code(self, name: str) -> bool:
        """Tell whether a file other than documentation has the word; True if git cannot tell."""
        if name not in self._in_code:
            try:
                self._in_code[name] = code_with(self._files.tree, name)
            except GitError:
                self._in_code[name] = True
        return self._in_code[name]

    def _defining(self, name: str, commit: str) -> list[str]:
        if (commit, name) not in self._found:
            try:
                found = defining_files(self._files.tree, [name], commit)
            except GitError:
                found = {}  # it is everywhere, or the tree is too large
            self._found[commit, name] = found.get(name, [])
        return self._found[commit, name]


def _with_stem(paths: Sequence[str], symbol: Symbol) -> list[str]:
    return [path for path in paths if symbol.within and Path(path).stem == symbol.within] or list(paths)
