"""Read a repository's first-parent history: commits and their hunks.

git's output is untrusted: lines are bounded, unparsable ones skipped. Renames are followed: a renamed file is no
removal. Submodules, binary, generated and vendored files are skipped.
"""

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Final, NamedTuple, Self

from palimp_daemon.codediff.diff import HUNK_GAP_LINES, Hunk, split
from palimp_daemon.codediff.normalize import LINE_CHARACTERS_MAX
from palimp_daemon.codediff.skip_list import is_skipped
from palimp_daemon.git.git_repository import is_partial
from palimp_daemon.git.worktree import is_text
from palimp_protocol.env.git_command import PATCH_OPTIONS, RunningGit, git_command, git_environment, program
from palimp_protocol.text import without_control

REASON_CHARACTERS_MAX: Final = 400
"""Characters stored of a commit's message: subject and beginning of the body."""

MESSAGE_CHARACTERS_MAX: Final = 16_000
"""Characters read of a commit's message, in whole lines; the stored part is cut after redaction."""

HISTORY_S: Final = 1_800.0
"""Seconds to read the history: twice IMPORT_S, to end only a hanging git."""

PARTIAL: Final = (
    "this is a partial clone, which lacks the files of older commits, and palimp fetches nothing;"
    " what there is was read"
)
FSCK: Final = "`git fsck` may say why"


PATCH_LINE_BYTES_MAX: Final = 64 * 1024
"""Bytes read at once of a patch's line."""

FILE_LINES_MAX: Final = 20_000
"""Lines read of one file's patch."""

_START: Final = b"\x00palimp-commit\x00"
_MESSAGE_END: Final = b"\x00palimp-end\x00"
_HEADER: Final = re.compile(rb"^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_TRAILER: Final = re.compile(
    r"(?i)(?:[a-z][a-z0-9]*(?:-[a-z0-9]+)*-by|cc|change-id|reviewed-on|git-svn-id|git-dch|auto-submit|commit-queue"
    r"|cr-commit-position|differential revision|piperorigin-revid|gitorigin-revid|x-[a-z-]+)\s*:(?:\s|$)"
    r"|(?:🤖 )?Generated with \[?claude"
)
"""Start of a trailer, a message's last lines on authors and reviewers, or for programs."""


class Commit(NamedTuple):
    """A commit's name, time (Unix milliseconds), message and hunks."""

    sha: str
    at: int
    message: str
    hunks: list[Hunk]


class History:
    """A first-parent line's commits, newest or oldest first. Use as a context; iterate once."""

    problem: str = ""
    """Why git could not read the rest, set after the iteration; empty: it did."""

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
    """Strip control characters from *message*, and cut it after a whole line.

    Secrets are searched in the result: a part of a line, or invisible characters, could hide one.
    """
    if len(message) > MESSAGE_CHARACTERS_MAX:
        message = message[:MESSAGE_CHARACTERS_MAX].rpartition("\n")[0]
    return without_control(message)


def reason_of(message: str, characters: int = REASON_CHARACTERS_MAX) -> str:
    """Return a message's subject and the beginning of its body, without trailers.

    Redact before: a cut secret is not recognised.
    """
    lines = [line.strip() for line in without_trailers(message.splitlines()) if line.strip()]
    text = " ".join([f"{lines[0]}.", *lines[1:]] if len(lines) > 1 and lines[0][-1].isalnum() else lines)
    return text if len(text) <= characters else text[: characters - 1] + "…"


def without_trailers(lines: Sequence[str]) -> list[str]:
    """Drop a message's trailers, but never its first line."""
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
    """*start* is the line number in the former text."""

    start: int
    gone: list[str]
    come: list[str]


class _File:
    def __init__(self, path: str) -> None:
        self._path = path
        self._spans: list[_Span] = []
        self._is_skipped = False
        self._end_of_last = -HUNK_GAP_LINES
        self._to_read = (0, 0)
        self._lines_read = 0

    def read(self, line: bytes) -> None:
        minus, plus = self._to_read
        if minus and line.startswith(b"-"):
            self._to_read = (minus - 1, plus)
            self._keep(line)
        elif plus and line.startswith(b"+"):
            self._to_read = (minus, plus - 1)
            self._keep(line)
        elif line.startswith((b"--- a/", b"+++ b/")):
            self._take_name(line[6:].rstrip(b"\r\n").removesuffix(b"\t"))
        elif line.startswith((b"Binary files", b"Subproject commit")) or b" 160000" in line[:60]:
            self._is_skipped = True
        elif match := _HEADER.match(line):
            start, count = int(match[1]), int(match[2] or 1)
            self._to_read = (count, int(match[4] or 1))
            if not self._spans or start - self._end_of_last >= HUNK_GAP_LINES:
                self._spans.append(_Span(start, [], []))
            self._end_of_last = start + count

    def _take_name(self, path: bytes) -> None:
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
        if self._is_skipped or not self._path:
            return []
        whole = (Hunk(self._path, start, tuple(gone), tuple(come)) for start, gone, come in self._spans)
        return [part for hunk in whole for part in split(hunk)]


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    is_rest = False
    while line := stream.readline(PATCH_LINE_BYTES_MAX):
        if not is_rest:
            yield line
        is_rest = not line.endswith(b"\n")
