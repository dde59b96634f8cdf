"""Reading a repository's first-parent history: commits and what each took out and put in.

git is a child process that is read as it writes, and ended when enough was read. Its output is text of strangers:
every line is bounded, and what cannot be understood is left out, never an error.

The first-parent line only: a merge stands for its branch, and its message says why. Renames are followed, so a
renamed file is no removal. Submodules, binary, generated and vendored files are left out.
"""

import os
import re
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Final, NamedTuple, Self

from palimp_daemon.codediff.diff import HUNK_GAP_LINES, HUNK_LINES_MAX, Hunk
from palimp_daemon.codediff.normalize import LINE_CHARACTERS_MAX
from palimp_daemon.codediff.skip_list import is_skipped
from palimp_daemon.codediff.worktree import is_text
from palimp_protocol.env.git_command import (
    PATCH_OPTIONS,
    GitAnswer,
    GitError,
    end_git,
    git_command,
    git_environment,
    is_repository,
    kill_git,
    program,
    run_git,
)

REASON_CHARACTERS_MAX: Final = 400
"""What is kept of a commit's message: its subject and the beginning of its body."""

MESSAGE_CHARACTERS_MAX: Final = 16_000
"""What is read of a commit's message: so much more than is kept that no secret is cut where what is kept ends."""

COMMAND_S: Final = 10.0
"""Seconds that a question to git may take, other than reading the history."""

HISTORY_S: Final = 1_800.0
"""Seconds that one reading of the history may take: twice IMPORT_S, so that only what hangs is ended."""

PARTIAL: Final = (
    "this is a partial clone, which lacks the files of older commits, and palimp fetches nothing;"
    " what there is was read"
)
FSCK: Final = "`git fsck` may say why"

STATUS_S: Final = 0.05
"""Seconds that git's word on what changed in the tree is waited for: in large trees it looks at every file. Three
questions take some 10 ms in a small one; a session's start has 270 ms in all."""

STATUS_LATER_S: Final = 0.3

FIRST_COMMITS_MAX: Final = 50
"""First commits of a repository that are remembered: most have one, one that others were merged into some."""

FILTER_KEYS_MAX: Final = 200
"""Keys of filters in a repository's configuration: one filter has four, and a user one or two filters."""

RECENT_COMMITS: Final = 10
FILES_AT_HAND_MAX: Final = 200
"""Files that are taken for those being worked on: of so many commits, and so many in all."""

PATCH_LINE_BYTES_MAX: Final = 64 * 1024
"""Bytes of one line of a patch that are read at once."""

FILE_LINES_MAX: Final = 20_000
"""Lines of one file's patch that are read."""

_START: Final = b"\x00palimp-commit\x00"
_MESSAGE_END: Final = b"\x00palimp-end\x00"
_HEADER: Final = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_TRAILER: Final = re.compile(r"(?i)^(signed-off-by|co-authored-by|reviewed-by|change-id|acked-by|cc|tested-by):")


class Commit(NamedTuple):
    """A commit: its name, when it was made (Unix milliseconds), its message, and its hunks as git gives them."""

    sha: str
    at: int
    message: str
    hunks: list[Hunk]


def head_of(tree: Path) -> str:
    """Return the commit that *tree* is at; empty when there is none, or no repository.

    Raises:
        GitError: git cannot be asked, or does not read this repository.
    """
    return _answer(tree, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")


def parent_of(tree: Path, commit: str) -> str:
    """Return the first parent of *commit*; empty when it is the first one, or the last of a shallow clone."""
    return _answer(tree, "rev-parse", "--verify", "--quiet", f"{commit}^")


def is_ancestor(tree: Path, commit: str, of: str) -> bool:
    """Tell whether *commit* is in the history of another."""
    return is_repository(str(tree)) and _run(tree, "merge-base", "--is-ancestor", commit, of).status == 0


def commits_here(tree: Path, commits: Sequence[str]) -> set[str]:
    """Return which of *commits* the repository of *tree* has; none where there is no repository."""
    found = _answer(tree, "rev-list", "--no-walk", "--ignore-missing", *commits, "--") if commits else ""
    return set(found.split())


def first_commits(tree: Path) -> list[str]:
    """Return the commits of the repository of *tree* that have no parents, FIRST_COMMITS_MAX at most.

    None are known of a shallow clone: those that seem to be first there are only where it was cut.

    Raises:
        GitError: git cannot be asked, or the history is too long for it to say in time.
    """
    if is_shallow(tree):
        return []
    refs = ("--exclude=refs/notes/*", "--exclude=refs/stash", "--all")
    return _answer(tree, "rev-list", "--max-parents=0", *refs, "--").split()[:FIRST_COMMITS_MAX]


def is_shallow(tree: Path) -> bool:
    """Tell whether the repository of *tree* has only the newest part of its history."""
    return _answer(tree, "rev-parse", "--is-shallow-repository") == "true"


def has_commits(tree: Path) -> bool:
    """Tell whether the repository of *tree* has any commit that a branch, a tag or HEAD leads to."""
    return bool(_answer(tree, "rev-list", "--max-count=1", "--all", "--"))


def count_commits(tree: Path, revisions: list[str], limit: int) -> int:
    """Return how many commits the first-parent line of *revisions* has, up to *limit*."""
    counted = _answer(tree, "rev-list", "--count", "--first-parent", f"--max-count={limit}", *revisions, "--")
    return int(counted) if counted.isdigit() else 0


class RecentWork(NamedTuple):
    """What is being worked on in a tree: its branch, the subjects of the last commits, and files, newest first."""

    branch: str
    subjects: list[str]
    files: list[str]


def recent_work(tree: Path) -> RecentWork:
    """Return what is being worked on in *tree*; nothing where there is no repository.

    Files are those changed in the tree (as git says within STATUS_S, or said the last time), then those of the last
    commits.
    """
    known = _changed_in.get(tree)
    is_slow = known is not None and known.took_s >= STATUS_S
    # Where it took longer the last time it will now: what it said then must do, and it is asked behind the answer.
    changes = threading.Timer(STATUS_LATER_S if is_slow else 0.0, _note_changes, (tree,))
    changes.daemon = True
    changes.start()
    branch = ""
    subjects: list[str] = []
    files: list[str] = []
    for entry in (_last_commits(tree, "--name-only") or _last_commits(tree, "--no-patch")).split("\0"):
        for line in filter(None, entry.split("\n")):
            if not line.startswith("\x01"):
                files.append(line)
                continue
            _, names, subject = line.split("\x01", 2)
            subjects.append(subject)
            head = next((name for name in names.split(", ") if name.startswith("HEAD -> ")), "")
            branch = branch or head.removeprefix("HEAD -> ")
    changes.join(0.0 if is_slow else STATUS_S)
    files = [*_changed_in[tree].files, *files] if tree in _changed_in else files
    return RecentWork(
        branch, subjects, [path for path in dict.fromkeys(files) if not is_skipped(path)][:FILES_AT_HAND_MAX]
    )


def _last_commits(tree: Path, names: str) -> str:
    """Return what git's log says of the last commits, with the names of their files or without.

    Names need the trees of the commits, which a partial clone may not have. Renames would need the files' contents.
    """
    return _answer(
        tree,
        "log",
        "--first-parent",
        "-m",
        f"--max-count={RECENT_COMMITS}",
        "--no-show-signature",
        "--no-notes",
        "--no-renames",
        "--ignore-submodules=all",
        # The present branch, whatever `log.excludeDecoration` leaves out.
        "--decorate=short",
        "--decorate-refs=HEAD",
        "--decorate-refs=refs/heads/*",
        "--encoding=UTF-8",
        "--format=%x01%D%x01%s",  # of each commit the names that point to it, then its subject
        names,
        "-z",
    )


class _Changed(NamedTuple):
    """The files that were changed in a tree when git last said so, and how long that took."""

    files: list[str]
    took_s: float


_changed_in: dict[Path, _Changed] = {}
"""By tree. In a large one git takes longer than a hook waits."""
_TREES_MAX: Final = 64


def _note_changes(tree: Path) -> None:
    """Ask git which files of *tree* are changed. It may take its time; who asks does not wait for it."""
    started = time.monotonic()
    staged: list[str] = []
    # At the same time as the other question: who asked waits for both.
    beside = threading.Thread(target=lambda: staged.extend(_changed(tree, _STAGED)), daemon=True)
    beside.start()
    # Not `git status`, which runs git in the submodules.
    files = _changed(tree, _in_the_tree(tree))
    beside.join()
    if len(_changed_in) >= _TREES_MAX:
        _changed_in.clear()
    _changed_in[tree] = _Changed(list(dict.fromkeys([*files, *staged])), time.monotonic() - started)


def _changed(tree: Path, question: list[str]) -> list[str]:
    """Return the files that git names in answer to *question*; none when it cannot be asked, or names too many."""
    try:
        named = [path for path in _answer(tree, *question).split("\0") if path] if question else []
    except GitError:
        return []
    # A tree that was copied looks changed as a whole until git refreshes its index.
    return named if len(named) <= FILES_AT_HAND_MAX else []


def _in_the_tree(tree: Path) -> list[str]:
    """Return the question which files differ from the index; empty where it cannot be asked safely.

    git reads a file that was written in the same moment as the index through the repository's filters, which are
    programs. They are named by the repository, so that each is switched off by the name that it has there.
    """
    try:
        told = _answer(tree, "config", "--null", "--name-only", "--get-regexp", r"^filter\.")
    except GitError:
        return []
    keys = [key for key in told.split("\0") if key]
    if len(keys) > FILTER_KEYS_MAX or any("=" in key or "\n" in key for key in keys):
        return []
    return [*(part for key in keys for part in ("-c", f"{key}=")), "diff-files", *_QUIET_DIFF, "--"]


_QUIET_DIFF: Final = ("-z", "--name-only", "--no-renames", "--ignore-submodules=all", "--no-ext-diff", "--no-textconv")
_STAGED: Final = ["diff-index", "--cached", *_QUIET_DIFF, "HEAD", "--"]


class History:
    """The commits of a first-parent line, newest first, or oldest first. Use as a context; iterate over it once."""

    problem: str = ""
    """Once all was iterated over: why there is more that git could not read."""

    def __init__(self, tree: Path, revisions: list[str], limit: int, *, oldest_first: bool = False) -> None:
        log = [
            "log",
            "--first-parent",
            "-m",
            *PATCH_OPTIONS,
            "--find-renames",
            "-l400",
            "--no-show-signature",
            "--no-notes",
            "--encoding=UTF-8",
            f"--max-count={limit}",
            *(["--reverse"] if oldest_first else []),
            "--format=%x00palimp-commit%x00%H %ct%n%B%n%x00palimp-end%x00",
            *revisions,
            "--",
        ]
        env = os.environ
        nice = program("nice", env)
        self._tree = tree
        self._process = subprocess.Popen(
            [*([nice, "-n", "10"] if nice else []), *git_command(str(tree), log, env)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=git_environment(str(tree), env),
            start_new_session=True,  # so that it can be ended with what it started
        )
        # git may wait for ever: for a named pipe in its configuration, say.
        self._clock = threading.Timer(HISTORY_S, kill_git, (self._process,))
        self._clock.daemon = True
        self._clock.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._clock.cancel()
        end_git(self._process)

    def __iter__(self) -> Iterator[Commit]:
        assert self._process.stdout is not None  # noqa: S101  it was asked for
        last: Commit | None = None
        for commit in _commits(_lines(self._process.stdout)):
            if last is not None:
                yield last
            last = commit
        if status := self._process.wait():
            # Of the last commit a part may be missing.
            self.problem = PARTIAL if _is_partial(self._tree) else f"git's log ended early (status {status}); {FSCK}"
        elif last is not None:
            yield last


def _commits(lines: Iterator[bytes]) -> Iterator[Commit]:
    """Yield the commits that *lines* of `git log` hold."""
    line = next(lines, b"")
    while line:
        if not line.startswith(_START):
            line = next(lines, b"")
            continue
        sha, _, seconds = line.removeprefix(_START).decode("ascii", "replace").strip().partition(" ")
        message: list[str] = []
        for text in lines:
            if text.startswith(_MESSAGE_END):
                break
            message.append(text.decode("utf-8", "replace").rstrip())
        hunks, line = _patch(lines)
        yield Commit(sha, int(seconds or 0) * 1000, "\n".join(message)[:MESSAGE_CHARACTERS_MAX], hunks)


def reason_of(message: str) -> str:
    """Return the subject and the beginning of the body of a commit's *message*, without trailers.

    It cuts: secrets are redacted before, since what is left of one is not recognised.
    """
    lines = [line.strip() for line in message.splitlines() if line.strip() and not _TRAILER.match(line.strip())]
    text = " ".join([f"{lines[0]}.", *lines[1:]] if len(lines) > 1 and lines[0][-1].isalnum() else lines)
    return text if len(text) <= REASON_CHARACTERS_MAX else text[: REASON_CHARACTERS_MAX - 1] + "…"


def _patch(lines: Iterator[bytes]) -> tuple[list[Hunk], bytes]:
    """Return the hunks up to the next commit, and that commit's first line (empty: there is none)."""
    hunks: list[Hunk] = []
    file = _File("")
    for line in lines:
        if line.startswith(_START):
            return [*hunks, *file.hunks()], line
        if line.startswith(b"diff --git "):
            hunks += file.hunks()
            file = _File("")
        else:
            file.read(line)
    return [*hunks, *file.hunks()], b""


class _Span(NamedTuple):
    """Lines of a patch that are near one another. *start* counts in the former text."""

    start: int
    gone: list[str]
    come: list[str]


class _File:
    """The patch of one file, line by line."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._spans: list[_Span] = []
        self._is_skipped = False
        self._end_of_last = -HUNK_GAP_LINES
        self._to_read = (0, 0)
        self._lines_read = 0

    def read(self, line: bytes) -> None:
        """Take one line."""
        minus, plus = self._to_read
        if minus and line.startswith(b"-"):
            self._to_read = (minus - 1, plus)
            self._keep(line)
        elif plus and line.startswith(b"+"):
            self._to_read = (minus, plus - 1)
            self._keep(line)
        elif line.startswith((b"--- a/", b"+++ b/")):
            self._named(line[6:].rstrip(b"\r\n").removesuffix(b"\t"))
        elif line.startswith((b"Binary files", b"Subproject commit")) or b" 160000" in line[:60]:
            self._is_skipped = True
        elif match := _HEADER.match(line):
            start, count = int(match[1]), int(match[2] or 1)
            self._to_read = (count, int(match[4] or 1))
            if not self._spans or start - self._end_of_last >= HUNK_GAP_LINES:
                self._spans.append(_Span(start, [], []))
            self._end_of_last = start + count

    def _named(self, path: bytes) -> None:
        """Take the file's name: the former one, then the present one where there is one."""
        if path.startswith(b'"') or not is_text(path):
            self._is_skipped = True  # a name with control characters or not in UTF-8
            return
        self._path = path.decode()
        self._is_skipped = self._is_skipped or is_skipped(self._path)

    def _keep(self, line: bytes) -> None:
        self._lines_read += 1
        if self._is_skipped or self._lines_read > FILE_LINES_MAX or not self._spans:
            return
        if len(line) > 2 * LINE_CHARACTERS_MAX:
            self._is_skipped = True  # bundled code, or data
            return
        span = self._spans[-1]
        into = span.gone if line.startswith(b"-") else span.come
        into.append(line[1:].decode("utf-8", "replace").rstrip("\r\n"))

    def hunks(self) -> list[Hunk]:
        """Return what was read, in hunks of HUNK_LINES_MAX lines a side."""
        if self._is_skipped or not self._path:
            return []
        return [
            Hunk(
                self._path,
                start + first,
                tuple(gone[first : first + HUNK_LINES_MAX]),
                tuple(come[first : first + HUNK_LINES_MAX]),
            )
            for start, gone, come in self._spans
            for first in range(0, max(len(gone), len(come)), HUNK_LINES_MAX)
        ]


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of *stream*; of an overlong one the first PATCH_LINE_BYTES_MAX bytes."""
    is_rest = False
    while line := stream.readline(PATCH_LINE_BYTES_MAX):
        if not is_rest:
            yield line
        is_rest = not line.endswith(b"\n")


def _is_partial(tree: Path) -> bool:
    """Tell whether the repository of *tree* is a partial clone, which leaves objects with its remote."""
    return bool(_answer(tree, "config", "--get-regexp", r"^(extensions\.partialclone|remote\..*\.promisor)$"))


def _run(tree: Path, *arguments: str, within_s: float = COMMAND_S) -> GitAnswer:
    return run_git(str(tree), arguments, os.environ, within_s=within_s)


def _answer(tree: Path, *arguments: str, within_s: float = COMMAND_S) -> str:
    """Return what git answers; nothing when it fails, or there is no repository."""
    if not is_repository(str(tree)):
        return ""
    done = _run(tree, *arguments, within_s=within_s)
    return done.output.decode("utf-8", "replace").strip("\n") if done.status == 0 else ""
