"""Reading a repository's first-parent history: commits and what each took out and put in.

git is a child process that is read as it writes, and ended when enough was read. Its output is text of strangers:
every line is bounded, and what cannot be understood is left out, never an error.

The first-parent line only: a merge stands for its branch, and its message says why. Renames are followed, so a
renamed file is no removal. Submodules, binary, generated and vendored files are left out.
"""

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Final, NamedTuple, Self

from palimp_daemon.codediff.diff import HUNK_GAP_LINES, HUNK_LINES_MAX, Hunk
from palimp_daemon.codediff.git_repository import is_partial
from palimp_daemon.codediff.normalize import LINE_CHARACTERS_MAX
from palimp_daemon.codediff.skip_list import is_skipped
from palimp_daemon.codediff.worktree import is_text
from palimp_protocol.env.git_command import PATCH_OPTIONS, RunningGit, git_command, git_environment, program
from palimp_protocol.text import without_control

REASON_CHARACTERS_MAX: Final = 400
"""Characters kept of a commit's message: its subject and the beginning of its body."""

MESSAGE_CHARACTERS_MAX: Final = 16_000
"""Characters read of a commit's message, as far as its lines are whole: more than is kept, which is cut when secrets
were redacted."""

HISTORY_S: Final = 1_800.0
"""Seconds that one reading of the history may take: twice IMPORT_S, so that only what hangs is ended."""

PARTIAL: Final = (
    "this is a partial clone, which lacks the files of older commits, and palimp fetches nothing;"
    " what there is was read"
)
FSCK: Final = "`git fsck` may say why"


PATCH_LINE_BYTES_MAX: Final = 64 * 1024
"""Bytes of one line of a patch that are read at once."""

FILE_LINES_MAX: Final = 20_000
"""Lines of one file's patch that are read."""

_START: Final = b"\x00palimp-commit\x00"
_MESSAGE_END: Final = b"\x00palimp-end\x00"
_HEADER: Final = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_TRAILER: Final = re.compile(
    r"(?i)(?:[a-z][a-z0-9]*(?:-[a-z0-9]+)*-by|cc|change-id|reviewed-on|git-svn-id|git-dch|auto-submit|commit-queue"
    r"|cr-commit-position|differential revision|piperorigin-revid|gitorigin-revid|x-[a-z-]+)\s*:(?:\s|$)"
    r"|(?:🤖 )?Generated with \[?claude"
)
"""What a line at the end of a message begins with that says who did or saw it, or is for a program."""


class Commit(NamedTuple):
    """A commit: its name, when it was made (Unix milliseconds), its message, and its hunks as git gives them."""

    sha: str
    at: int
    message: str
    hunks: list[Hunk]


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
        command = [*([nice, "-n", "10"] if nice else []), *git_command(str(tree), log, env)]
        self._git = RunningGit(command, git_environment(str(tree), env), HISTORY_S, stderr=subprocess.DEVNULL)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._git.__exit__(kind, error, trace)

    def __iter__(self) -> Iterator[Commit]:
        process = self._git.process
        assert process.stdout is not None  # noqa: S101  it was asked for
        last: Commit | None = None
        for commit in _commits(_lines(process.stdout)):
            if last is not None:
                yield last
            last = commit
        if status := process.wait():
            # Of the last commit a part may be missing.
            self.problem = PARTIAL if is_partial(self._tree) else f"git's log ended early (status {status}); {FSCK}"
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
        yield Commit(sha, int(seconds or 0) * 1000, plain_message("\n".join(message)), hunks)


def plain_message(message: str) -> str:
    """Return a commit's *message* as secrets are looked for in it: plain, and of a too long one the whole lines.

    A part of a line, or one with invisible characters in it, could hold a secret that nothing recognises.
    """
    if len(message) > MESSAGE_CHARACTERS_MAX:
        message = message[:MESSAGE_CHARACTERS_MAX].rpartition("\n")[0]
    return without_control(message)


def reason_of(message: str, characters: int = REASON_CHARACTERS_MAX) -> str:
    """Return the subject and the beginning of the body of a commit's *message*, without trailers.

    It cuts: secrets are redacted before, since what is left of one is not recognised.
    """
    lines = [line.strip() for line in without_trailers(message.splitlines()) if line.strip()]
    text = " ".join([f"{lines[0]}.", *lines[1:]] if len(lines) > 1 and lines[0][-1].isalnum() else lines)
    return text if len(text) <= characters else text[: characters - 1] + "…"


def without_trailers(lines: Sequence[str]) -> list[str]:
    """Return the *lines* of a message without the trailers in its last paragraphs; its first line stays."""
    lines = list(lines)
    while True:
        while lines and not lines[-1].strip():
            lines.pop()
        start = len(lines)
        while start > 1 and lines[start - 1].strip():
            start -= 1
        kept: list[str] = []
        is_trailer = False
        for line in lines[start:]:
            # A line that begins with a blank goes on with the one before it.
            is_trailer = is_trailer if line[:1].isspace() else bool(_TRAILER.match(line))
            if not is_trailer:
                kept.append(line)
        is_over = bool(kept) or start == len(lines)
        lines = lines[:start] + kept
        if is_over:
            return lines


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
