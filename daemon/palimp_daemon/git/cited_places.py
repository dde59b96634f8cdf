"""Tell whether places cited in a text were changed, moved, removed or reverted since.

Only the cited part counts: a name's definition, numbered lines (`cited_lines`), or of a file alone its presence and
whether nearly all was rewritten. Doubt is silent: ambiguous names, paths that never were, unknown commits.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final, Literal, NamedTuple

from palimp_daemon.codediff.cited_lines import (
    Span,
    definitions_in,
    follow_lines,
    is_rewritten,
    same_definitions,
    segment_key,
)
from palimp_daemon.git.defining_files import DefiningFiles
from palimp_daemon.git.past_files import Past, PastFile, PastFiles, exists
from palimp_daemon.git.tree_history import Version, is_reachable, reverts
from palimp_daemon.text.citations import Citations, Lines, Symbol

NAMED_FILES_MAX: Final = 2
"""Files that may define a name cited without its file; with more it is ambiguous."""

ALONE_CHARACTERS_MIN: Final = 4
"""Characters of a name searched for in the whole tree."""

State = Literal["gone", "missing", "reverted", "unreachable", "changed", "rewritten", "moved"]

_ORDER: Final[tuple[State, ...]] = ("gone", "missing", "reverted", "unreachable", "changed", "rewritten", "moved")
"""By importance: the first of several is reported."""


class CitedMemory(NamedTuple):
    """Citations of a text, and its time, Unix milliseconds."""

    citations: Citations
    at: int


class Finding(NamedTuple):
    """The fate of a cited thing."""

    subject: str
    state: State
    at: int = 0
    """Unix milliseconds; 0: not committed, or not known."""
    commits: int = 0
    """Number of commits that changed it; 0: not committed, or not known."""
    to: str = ""
    """Its present place."""


class LookupResult(NamedTuple):
    """The finding about a text, and the files read for it."""

    finding: Finding | None
    files: tuple[str, ...] = ()
    has_commits: bool = False
    """Whether the text cites commits; later ones may revert them."""


def look_up(tree: Path, past: Past, asked: Sequence[CitedMemory]) -> list[LookupResult]:
    """Find the fate of each text's citations.

    Raises:
        GitError: git cannot be asked, or not in time.
    """
    files = PastFiles(tree, past, min((each.at for each in asked), default=0))
    lookup = _Lookup(files, asked)
    looked = [lookup.of(each) for each in asked]
    return [lookup.of(each) for each in asked] if files.prepare_versions() else looked


def missing_paths(tree: Path, asked: Sequence[CitedMemory]) -> list[LookupResult]:
    """Find missing cited paths without history; they may never have existed."""
    looked: list[LookupResult] = []
    for each in asked:
        paths = [path for path in paths_of(tree, each.citations) if "/" in path]
        missing = next((path for path in paths if not exists(tree, path)), "")
        looked.append(LookupResult(Finding(missing, "missing") if missing else None, tuple(paths)))
    return looked


def paths_of(tree: Path, citations: Citations) -> list[str]:
    """Return the cited paths within *tree*."""
    return list(dict.fromkeys(path for path in (_inside(tree, each) for each in citations.paths) if path))


def _inside(tree: Path, path: str) -> str:
    path = path.removeprefix(f"{tree}/") if path.startswith("/") else path
    return "" if path.startswith("/") else path.removeprefix("./").rstrip("/")


class _Cited(NamedTuple):
    files: list[PastFile]
    alone: list[Symbol]
    has_place: bool


class _Lookup:
    def __init__(self, files: PastFiles, asked: Sequence[CitedMemory]) -> None:
        self.files = files
        self._tree = files.tree
        self._defining = DefiningFiles(files)
        self._reverts: Mapping[str, int] | None = None
        self._reachable: dict[str, bool] = {}
        files.prepare((path, each.at) for each in asked for path in paths_of(self._tree, each.citations))
        alone = [(symbol, each.at) for each in asked for symbol in self._resolve(each).alone]
        self._defining.prepare(symbol.name for symbol, _ in alone)
        where = ((self._defining.now(symbol), at) for symbol, at in alone)
        files.prepare((path, at) for paths, at in where if len(paths) <= NAMED_FILES_MAX for path in paths)

    def of(self, asked: CitedMemory) -> LookupResult:
        files, alone, has_place = self._resolve(asked)
        found = [finding for file in files for finding in self._of_file(file, asked)]
        watched = [file.now or file.was for file in files]
        for symbol in alone:
            finding, where = self._of_symbol(symbol, asked.at)
            # Beside a place of its own, a name from elsewhere is only mentioned.
            if finding and (finding.state in ("gone", "moved") or not has_place):
                found.append(finding)
            watched += where
        found += [finding for commit in asked.citations.commits if (finding := self._of_commit(commit, asked.at))]
        found.sort(key=lambda each: _ORDER.index(each.state))
        return LookupResult(found[0] if found else None, tuple(dict.fromkeys(watched)), bool(asked.citations.commits))

    def _resolve(self, asked: CitedMemory) -> _Cited:
        citations = asked.citations
        files = [file for path in paths_of(self._tree, citations) if (file := self.files.file(path, asked.at))]
        named = {symbol for file in files for symbol in citations.symbols if self.files.had(file, symbol)}
        alone = [symbol for symbol in citations.symbols if symbol not in named]
        alone = [symbol for symbol in alone if len(symbol.name) >= ALONE_CHARACTERS_MIN]
        return _Cited(files, alone, bool(named or citations.lines))

    # --- files and lines -------------------------------------------------------------------------

    def _of_file(self, file: PastFile, asked: CitedMemory) -> list[Finding]:
        if not file.now:
            return [_gone(file.was, file.versions)]
        moved = [Finding(file.was, "moved", to=file.now)] if file.now != file.was else []
        if self.files.is_as_it_was(file):
            return moved
        lines = [each for each in asked.citations.lines if _means(self._tree, each.path, file.was)]
        symbols = [each for each in asked.citations.symbols if self.files.had(file, each)]
        found = [self._of_lines(file, each) for each in lines] + [self._of_definition(file, each) for each in symbols]
        if not found:
            found = [self._of_whole(file)]
        return [*(each for each in found if each), *moved]

    def _of_whole(self, file: PastFile) -> Finding | None:
        before, now = self.files.before(file).lines, self.files.now(file.now)
        if not file.versions or not before or not now or not is_rewritten(before, now):
            return None
        return Finding(file.was, "rewritten", file.versions[-1].at, len(file.versions))

    def _of_lines(self, file: PastFile, lines: Lines) -> Finding | None:
        before, versions = self.files.before(file)
        now, span = self.files.now(file.now), Span(lines.first - 1, lines.last)
        if (
            not now
            or span.end > len(before)
            or not any(before[span.start : span.end])
            or follow_lines(before, now, span)
        ):
            return None
        subject = f"{lines.path}:{lines.first}" + (f"-{lines.last}" if lines.last > lines.first else "")
        if follow_lines(before, self.files.head_lines(file.now), span):
            return Finding(subject, "changed")
        last, commits, at, place = before, 0, 0, span
        for version, text in self.files.read(versions):
            there = follow_lines(last, text, place)
            if there is None:
                commits, at = commits + 1, version.at
                there = Span(place.start, min(place.end, len(text)))
            last, place = text, there
        return Finding(subject, "changed", at, commits) if commits else None

    # --- names -----------------------------------------------------------------------------------

    def _of_definition(self, file: PastFile, symbol: Symbol) -> Finding | None:
        (before, versions), now = self.files.before(file, symbol), self.files.now(file.now)
        if not definitions_in(before, symbol.name, symbol.within):
            symbol = Symbol(symbol.name)  # what was written before it is its module, or a value of its class
        same = same_definitions(before, now, symbol.name, symbol.within) if now else True
        if same:
            return None
        commits, at, last = 0, 0, _keys(before, symbol)
        for version, text in self.files.read(versions):
            keys = _keys(text, symbol)
            if keys != last:
                commits, at, last = commits + 1, version.at, keys
        is_committed = _keys(self.files.head_lines(file.now), symbol) == _keys(now, symbol)
        if is_committed and not commits:
            return None
        when, count = (at, commits) if is_committed else (0, 0)
        if same is not None:
            return Finding(symbol.name, "changed", when, count)
        elsewhere = [path for path in self._defining.now(symbol) if path != file.now]
        return (
            Finding(symbol.name, "moved", when, to=elsewhere[0])
            if len(elsewhere) == 1
            else Finding(symbol.name, "gone", when)
        )

    def _of_symbol(self, symbol: Symbol, at: int) -> tuple[Finding | None, list[str]]:
        where = self._defining.now(symbol)
        if len(where) > NAMED_FILES_MAX or (not where and self._defining.is_in_code(symbol.name)):
            return None, []
        having = self._defining.having(where, symbol, at)
        stayed = [file for file in having if self.files.had(file, symbol, is_at_once=True)]
        had = [] if stayed else self._defining.then(symbol, at)
        if stayed or not had:  # or it came a little later
            changed = [file for file in stayed or having if not self.files.is_as_it_was(file)]
            findings = [self._of_definition(file, symbol) for file in changed]
            return next((each for each in findings if each), None), where
        if len(had) != 1:
            return None, where
        if had[0].now:
            return self._of_definition(had[0], symbol), [had[0].now, *where]
        gone = _gone(symbol.name, had[0].versions)
        return gone._replace(state="moved", to=where[0]) if len(where) == 1 else gone, [had[0].was, *where]

    # --- commits ---------------------------------------------------------------------------------

    def _of_commit(self, commit: str, at: int) -> Finding | None:
        known = self.files.object(commit)
        if known is None or known.kind != "commit":
            return None
        if self._reverts is None:
            self._reverts = reverts(self._tree, self.files.since)
        for reverted, when in self._reverts.items():
            if known.name.startswith(reverted) and when > at:
                return Finding(commit, "reverted", when)
        if known.name not in self._reachable:
            self._reachable[known.name] = is_reachable(self._tree, known.name)
        return None if self._reachable[known.name] else Finding(commit, "unreachable")


def _gone(subject: str, versions: Sequence[Version]) -> Finding:
    last = versions[-1] if versions else None
    return Finding(subject, "gone", last.at if last and not last.blob else 0)


def _keys(lines: Sequence[str], symbol: Symbol) -> frozenset[str]:
    return frozenset(segment_key(lines, span) for span in definitions_in(lines, symbol.name, symbol.within))


def _means(tree: Path, cited: str, path: str) -> bool:
    inside = _inside(tree, cited)
    return inside == path or path.endswith(f"/{inside}")
