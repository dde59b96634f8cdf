"""Ask git for a tree's past: commits by time, versions of files, renames, reverts.

Every function raises GitError if git cannot be run, is too slow, or answers too much. Only HEAD's first-parent line
counts; no filters run, and no missing object is fetched.
"""

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, NamedTuple

from palimp_daemon.codediff.cited_lines import assigns, defines
from palimp_daemon.codediff.skip_list import FILE_BYTES_MAX
from palimp_daemon.git.git_repository import ask
from palimp_daemon.git.line_origin import reverted_by
from palimp_daemon.git.worktree import is_text
from palimp_protocol.env.git_command import GitAnswerTooLongError, GitError

LINE_COMMITS_MAX: Final = 20_000
"""Commits of the first-parent line with times read, in a tenth of a second; older memories are compared with the
oldest."""

LINE_STEP: Final = 64
"""Commits requested first when HEAD has moved: mostly it only advanced."""

VERSIONS_MAX: Final = 400
"""Newest commits that changed any of the files looked up together."""

RENAMES_MAX: Final = 3
"""Renames followed of one file."""

REVERTS_MAX: Final = 500
"""Reverts read, the newest."""

FOUND_BYTES_MAX: Final = 4_000_000
"""Bytes of git grep's output: some ten thousand lines. Names with more are everywhere."""

_PLAIN: Final = ("--no-ext-diff", "--no-textconv", "--ignore-submodules=all")
_LOG: Final = ("log", "--no-show-signature", "--no-notes", "--no-color", "--encoding=UTF-8", *_PLAIN)
_TREES: Final = ("diff-tree", "-r", "-z", *_PLAIN)
_RAW: Final = re.compile(rb":\d{6} (\d{6}) ([0-9a-f]{40,64}) ([0-9a-f]{40,64}) ([A-Z])\d*")
_HEADER: Final = re.compile(rb"\x01([0-9a-f]{40,64}) (\d{1,12})")
_OBJECT: Final = re.compile(rb"([0-9a-f]{40,64}) (\w+) (\d{1,12})")
_WORD: Final = re.compile(r"\w+")


class LineCommit(NamedTuple):
    """A first-parent commit and its time, Unix milliseconds."""

    sha: str
    at: int


class Version(NamedTuple):
    """A file in a commit that changed it; *blob* is empty for a removal."""

    commit: str
    at: int
    path: str
    before: str
    """The former blob; empty: there was none."""
    blob: str


class Object(NamedTuple):
    """A git object; *text* is None for a file that is no text, or too large."""

    name: str
    kind: str
    text: str | None


def line_of(tree: Path, known: Sequence[LineCommit] = ()) -> list[LineCommit]:
    """Return HEAD's first-parent line, newest first; *known* is the last result."""
    if known:
        begun = _line(tree, LINE_STEP)
        place = next((n for n, each in enumerate(begun) if each == known[0]), None)
        if place is not None:
            return [*begun[:place], *known][:LINE_COMMITS_MAX]
    return _line(tree, LINE_COMMITS_MAX)


def _line(tree: Path, count: int) -> list[LineCommit]:
    wanted = ("--first-parent", "--no-patch", f"--max-count={count}", "--format=%x01%H %ct")
    answer = ask(tree, *_LOG, *wanted, "HEAD", "--")
    found = (_HEADER.fullmatch(line) for line in answer.output.split(b"\n"))
    return [LineCommit(match[1].decode(), int(match[2]) * 1000) for match in found if match]


def commit_at(line: Sequence[LineCommit], at: int) -> str:
    """Return the commit of *line* at a time; empty before its oldest."""
    return next((each.sha for each in line if each.at <= at), "")


def versions_of(tree: Path, paths: Sequence[str], since: int) -> dict[str, list[Version]]:
    """Return each path's versions since a time, newest first; a folder's are those of its files."""
    if not paths:
        return {}
    wanted = ("--first-parent", "-m", "--raw", "-z", "--no-abbrev", "--no-renames", f"--max-count={VERSIONS_MAX}")
    versions: dict[str, list[Version]] = {path: [] for path in paths}
    try:
        answer = ask(
            tree, "--literal-pathspecs", *_LOG, *wanted, _since(since), "--format=%x01%H %ct", "HEAD", "--", *paths
        )
    except GitAnswerTooLongError:
        half = len(paths) // 2
        if half:
            versions |= {**versions_of(tree, paths[:half], since), **versions_of(tree, paths[half:], since)}
        return versions
    for version in _versions(answer.output):
        for path in paths:
            if version.path == path or version.path.startswith(f"{path.rstrip('/')}/"):
                versions[path].append(version)
    return versions


def _since(at: int) -> str:
    return f"--since=@{max(0, at // 1000)} +0000"


def _versions(output: bytes) -> Iterable[Version]:
    commit, at = "", 0
    fields = iter(output.split(b"\0"))
    for part in fields:
        field = part.lstrip(b"\n")
        if header := _HEADER.match(field):
            commit, at = header[1].decode(), int(header[2]) * 1000
        if match := _RAW.fullmatch(field[header.end() :].lstrip(b"\n") if header else field):
            path = next(fields, b"")
            if match[1] != b"160000" and is_text(path):
                yield Version(commit, at, path.decode(), _present(match[2]), _present(match[3]))


def _present(blob: bytes) -> str:
    return blob.decode() if blob.strip(b"0") else ""


def changed_between(tree: Path, before: str, now: str) -> set[str]:
    """Return the files that differ between two commits."""
    if before == now:
        return set()
    answer = ask(tree, *_TREES, "--name-only", "--no-renames", before, now, "--")
    if answer.status:
        raise GitError(f"git does not compare {before} and {now}.")
    return {os.fsdecode(path) for path in answer.output.split(b"\0") if path}


def renamed_in(tree: Path, commit: str, path: str) -> str:
    """Return the new name of *path*, removed in *commit*; empty: not renamed, or too many."""
    renames = ("--find-renames=40%", "-l400", "--diff-filter=R", "--raw")
    try:
        answer = ask(tree, *_TREES, *renames, f"{commit}^", commit, "--")
    except GitAnswerTooLongError:
        return ""
    fields = answer.output.split(b"\0")
    return next(
        (
            os.fsdecode(after)
            for before, after in zip(fields[1::3], fields[2::3], strict=False)
            if before == path.encode() and is_text(after)
        ),
        "",
    )


def objects_of(tree: Path, names: Sequence[str]) -> dict[str, Object]:
    """Load the existing objects of *names* (`HEAD:a.py`, `1c0ffee`)."""
    asked = [name for name in dict.fromkeys(names) if "\n" not in name]
    if not asked:
        return {}
    given = "".join(f"{name}\n" for name in asked).encode("utf-8", "surrogateescape")
    try:
        answer = ask(tree, "cat-file", "--batch", given=given)
    except GitAnswerTooLongError:
        half = len(asked) // 2
        return {**objects_of(tree, asked[:half]), **objects_of(tree, asked[half:])} if half else {}
    found = zip(asked, _objects(answer.output), strict=False)
    return {name: each for name, each in found if each}


def _objects(output: bytes) -> Iterable[Object | None]:
    """Parse `git cat-file --batch`; None for a missing object. It may end early."""
    place = 0
    while (end := output.find(b"\n", place)) >= 0:
        match = _OBJECT.fullmatch(output[place:end])
        place = end + 1
        if not match:
            yield None
            continue
        size = int(match[3])
        data = output[place : place + size]
        place += size + 1
        is_readable = match[2] == b"blob" and size <= FILE_BYTES_MAX and b"\0" not in data[:8192]
        yield Object(match[1].decode(), match[2].decode(), data.decode("utf-8", "replace") if is_readable else None)


def files_ending(tree: Path, commit: str, ending: str) -> list[str]:
    """Return *commit*'s files that end with `/ending`; [] in too large a tree."""
    try:
        answer = ask(tree, "ls-tree", "-r", "-z", "--name-only", "--full-tree", commit, "--")
    except GitAnswerTooLongError:
        return []
    tail = f"/{ending}".encode()
    return [path.decode() for path in answer.output.split(b"\0") if path.endswith(tail) and is_text(path)]


def defining_files(tree: Path, names: Sequence[str], commit: str = "") -> dict[str, list[str]]:
    """Search *commit*, or the tree, for files that may define *names*; return them by name.

    Raises:
        GitAnswerTooLongError: there are too many lines with these names.
    """
    words = [name for name in dict.fromkeys(names) if re.fullmatch(r"\w+", name)]
    if not words:
        return {}
    # Plain words: regular expressions would take git a hundred times as long.
    options = [part for word in words for part in ("-e", word)]
    revision = [commit] if commit else []
    answer = ask(
        tree,
        *("grep", "-n", "-I", "-z", "-w", "-F", "--no-color", "--no-column", "--no-textconv", "--full-name"),
        *(*options, *revision, "--"),
        bytes_max=FOUND_BYTES_MAX,
    )
    defining: dict[str, dict[str, None]] = {word: {} for word in words}
    assigning: dict[str, dict[str, None]] = {word: {} for word in words}
    for path, text in _grep_lines(answer.output, commit):
        for word in set(_WORD.findall(text)) & defining.keys():
            if defines(text, word):
                defining[word][path] = None
            elif assigns(text, word):
                assigning[word][path] = None
    # A variable that is called like a function is another thing.
    return {word: list(defining[word] or assigning[word]) for word in words}


def _grep_lines(output: bytes, commit: str) -> Iterable[tuple[str, str]]:
    for line in output.split(b"\n"):
        name, _, rest = line.partition(b"\0")
        _, _, text = rest.partition(b"\0")
        path = name[len(commit) + 1 :] if commit else name
        if path and is_text(path):
            yield path.decode(), text[:500].decode("utf-8", "replace")


def is_left_out(tree: Path, path: str) -> bool:
    """Tell whether a sparse checkout leaves out *path*."""
    answer = ask(tree, "--literal-pathspecs", "ls-files", "-t", "-z", "--cached", "--", path)
    return answer.output.startswith(b"S ")


def code_with(tree: Path, name: str) -> bool:
    """Tell whether a file other than documentation has *name*."""
    documents = (":(exclude,icase)*.md", ":(exclude,icase)*.rst", ":(exclude,icase)*.txt", ":(exclude,icase)*.adoc")
    grep = ("grep", "-q", "-I", "-w", "-F", "--no-textconv", "-e", name, "--", ".", *documents)
    return ask(tree, *grep).status == 0


def reverts(tree: Path, since: int) -> dict[str, int]:
    """Return commits reverted since a time and not restored, with times."""
    wanted = ("-i", "-F", "--grep=this reverts commit", "--no-patch", "-z", f"--max-count={REVERTS_MAX}")
    answer = ask(tree, *_LOG, *wanted, _since(since), "--format=%x01%H %ct%n%B", "HEAD", "--")
    taken_back: dict[str, int] = {}
    undone: set[str] = set()
    for entry in answer.output.split(b"\0"):  # newest first: a revert of a revert comes before what it brings back
        if match := _HEADER.match(entry):
            commit, at = match[1].decode(), int(match[2]) * 1000
            reverted = reverted_by(entry[match.end() :].decode("utf-8", "replace"))
            if reverted and not any(commit.startswith(each) for each in undone):
                undone.add(reverted)
                taken_back[reverted] = at
    return taken_back


def is_reachable(tree: Path, commit: str) -> bool:
    """Tell whether a branch, a tag or HEAD leads to *commit*, which must exist."""
    refs = ("--not", "--exclude=refs/stash", "--exclude=refs/notes/*", "--all", "HEAD")
    answer = ask(tree, "rev-list", "--max-count=1", commit, *refs, "--")
    if answer.status:
        raise GitError(f"git does not say whether {commit} is reachable.")
    return not answer.output.strip()
