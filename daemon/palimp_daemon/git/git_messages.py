"""Read git's commit messages, with time, author and files.

HEAD's first-parent line is listed as hashes (a second for COMMITS_MAX); only unknown ones are read, so moves of HEAD
and rewritten history do not matter. Messages are strangers' text. A merge's files are those that differ from its first
parent.
"""

import os
import re
from collections.abc import AsyncGenerator, Collection, Container, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from palimp_daemon.git.git_log import FSCK, PARTIAL, without_trailers
from palimp_daemon.git.git_repository import head_of, is_partial, is_shallow
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.text.redact import Redactor
from palimp_protocol.env.git_command import GitAnswer, GitAnswerTooLongError, GitError, is_repository, run_git
from palimp_protocol.text import one_line, shown_name, without_control

COMMITS_MAX: Final = 100_000
"""Commits of the first-parent line with messages read, the newest: more than most projects have. Their hashes are 4 MB
(SHA-256: 6.5 MB), within GIT_ANSWER_BYTES_MAX."""

PAGE_COMMITS: Final = 500
"""Commits read at once: their hashes fit on a command line."""

LINE_S: Final = 60.0
"""Seconds for git to list COMMITS_MAX commits, or find unreachable ones; without a commit graph it reads each."""

PAGE_S: Final = 60.0
"""Seconds for git to read a page's messages; 500 commits' files in a very large tree take some."""

CHECKED_AT_ONCE: Final = 500
"""Hashes checked for reachability at once; they fit on a command line."""

MESSAGE_BYTES_MAX: Final = 64 * 1024
"""Bytes read of one message, in whole lines: some hold whole logs."""

BODY_CHARACTERS_MAX: Final = 10_000
"""Characters kept of a message's body, as of a memory, cut after redaction."""

SUBJECT_CHARACTERS_MAX: Final = 200
"""Characters kept of a message's first line, as of a title; the body has it in full."""

AUTHOR_CHARACTERS_MAX: Final = 100
"""Characters kept of an author's name."""

FILES_MAX: Final = 20
"""Files named per commit, in git's order; of more, only the number is stated."""

FILE_CHARACTERS_MAX: Final = 500
"""Characters kept of a path's end; longer paths are rare."""

WRITTEN_CHARACTERS_MAX: Final = 10
r"""Longest escape of one character of a path: `\u{10ffff}`."""

TIME_MS_MAX: Final = 253_402_300_799_000
"""End of the year 9999, so that any made-up time has a date."""

CUT: Final = " […]"

_ADDRESS: Final = re.compile(
    r" ?<[^<>\s@]{1,100}@[^<>\s]{1,200}>|[\w.+%-]{1,64}@(?:[\w-]{1,63}\.){1,8}[A-Za-z]{2,24}\b"
)
"""An e-mail address, in brackets or without."""

_HASH: Final = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")

_FORMAT: Final = "--format=%x00%x00%H%x00%ct%x00%an%x00%B%x00"
_FORMATS_OF_ENDLESS: Final = (
    "--format=%x00%x00%H%x00%ct%x00%an%x00%s%x00",
    "--format=%x00%x00%H%x00%ct%x00%an%x00%x00",
)
"""For messages longer than git's answer may be: the subject or, if still too long, nothing."""

_LOG: Final = (
    "log",
    "--no-walk=unsorted",
    "--first-parent",
    "-m",
    "-z",
    "--no-color",
    "--no-show-signature",
    "--no-notes",
    "--encoding=UTF-8",
)
_NAMES: Final = (
    "--name-only",
    "--no-renames",
    "--ignore-submodules=all",
    "--no-ext-diff",
    "--no-textconv",
    "-O/dev/null",
)


class Commit(NamedTuple):
    """A commit's message and files."""

    hash: str
    """In full."""
    at_ms: int
    """Commit time in Unix milliseconds."""
    author: str
    """The name only."""
    subject: str
    body: str
    files: tuple[str, ...]
    """The first FILES_MAX paths changed, in git's order; for a merge, against its first parent."""
    files_total: int


class FirstParentLine(NamedTuple):
    """HEAD's first-parent line as hashes, newest first, at most COMMITS_MAX."""

    hashes: list[str]
    is_shallow: bool = False
    """Whether only the newest part of the history is here."""
    problem: str = ""
    """Why git could not list all of it."""


# --- what git is asked ---------------------------------------------------------------------------


async def new_commits(
    tree: Path, line: FirstParentLine, known: Container[str], redact: Redactor
) -> AsyncGenerator[list[Commit], None]:
    """Yield pages of the commits of *line* not *known*, newest first.

    Raises:
        GitError: git cannot be run, or is cut short; earlier pages were yielded.
    """
    unread = [each for each in line.hashes if each not in known]
    for first in range(0, len(unread), PAGE_COMMITS):
        hashes = unread[first : first + PAGE_COMMITS]
        commits = await in_thread(partial(_read, tree, hashes, redact))
        if line.is_shallow and hashes[-1] == line.hashes[-1]:
            # Where the history was cut: git takes it for the first one, which adds every file.
            commits = [each._replace(files=(), files_total=0) if each.hash == hashes[-1] else each for each in commits]
        yield commits
    if line.problem:
        raise GitError(line.problem)


async def first_parent_line(tree: Path) -> FirstParentLine:
    """Return HEAD's first-parent line, empty without a repository or commit.

    Raises:
        GitError: git cannot be run.
    """
    return await in_thread(partial(_line_of, tree))


async def unreachable(tree: Path, hashes: Collection[str]) -> list[str]:
    """Return the *hashes* that no HEAD, branch or tag leads to; none without a repository.

    Ask only with hashes of this repository: another clone has other branches.

    Raises:
        GitError: git cannot tell.
    """
    return await in_thread(partial(_unreachable, tree, list(hashes)))


def _line_of(tree: Path) -> FirstParentLine:
    if not is_repository(str(tree)):
        return FirstParentLine([])
    head = head_of(tree)
    if not head:
        return FirstParentLine([])
    listing = ("rev-list", "--first-parent", f"--max-count={COMMITS_MAX}", head, "--")
    answer = run_git(str(tree), listing, os.environ, within_s=LINE_S)
    hashes = answer.output.decode("ascii", "replace").split()
    problem = _problem(tree, answer) if answer.status else ""
    return FirstParentLine(hashes, is_shallow(tree), problem)


def _read(tree: Path, hashes: Sequence[str], redact: Redactor) -> list[Commit]:
    """Read without files if git lacks their trees (a partial clone)."""
    if not hashes:
        return []
    try:
        answer = _log(tree, hashes, _FORMAT, *_NAMES)
        if answer.status:
            answer = _log(tree, hashes, _FORMAT, "--no-patch")
    except GitAnswerTooLongError:
        if len(hashes) > 1:
            middle = len(hashes) // 2
            return _read(tree, hashes[:middle], redact) + _read(tree, hashes[middle:], redact)
        answer = _log_of_endless(tree, hashes)
    if answer.status:
        raise GitError(_problem(tree, answer))
    return commits_in(answer.output, redact)


def _log(tree: Path, hashes: Sequence[str], *arguments: str) -> GitAnswer:
    return run_git(str(tree), (*_LOG, *arguments, *hashes, "--"), os.environ, within_s=PAGE_S)


def _log_of_endless(tree: Path, hashes: Sequence[str]) -> GitAnswer:
    subject, nothing = _FORMATS_OF_ENDLESS
    try:
        return _log(tree, hashes, subject, "--no-patch")
    except GitAnswerTooLongError:
        return _log(tree, hashes, nothing, "--no-patch")


def _problem(tree: Path, answer: GitAnswer) -> str:
    if is_partial(tree):
        return PARTIAL
    return f"git's log ended early (status {answer.status}); {FSCK}"


def _unreachable(tree: Path, hashes: Sequence[str]) -> list[str]:
    if not is_repository(str(tree)):
        return []
    gone: list[str] = []
    for first in range(0, len(hashes), CHECKED_AT_ONCE):
        part = hashes[first : first + CHECKED_AT_ONCE]
        asked = [each for each in part if _HASH.fullmatch(each)]
        stray = set(part) - set(asked)
        if asked:
            here = _words(tree, "rev-list", "--no-walk", "--ignore-missing", *asked, "--")
            stray |= set(asked) - here
        if left := [each for each in asked if each not in stray]:
            # What rewriting keeps of the former history, and what replaces commits for a reader, leads to nothing.
            aside = ("--exclude=refs/original/*", "--exclude=refs/replace/*")
            stray |= _words(tree, "rev-list", *left, "--not", *aside, "--all", "--")
        gone += [each for each in part if each in stray]
    return gone


def _words(tree: Path, *arguments: str) -> set[str]:
    answer = run_git(str(tree), arguments, os.environ, within_s=LINE_S)
    if answer.status:
        raise GitError(_problem(tree, answer))
    return set(answer.output.decode("ascii", "replace").split())


# --- what git answers ----------------------------------------------------------------------------


def commits_in(output: bytes, redact: Redactor) -> list[Commit]:
    """Parse the *output* of git's log.

    A commit is two NULs, hash, time, author and message with a NUL behind each, one more NUL, and its paths with a NUL
    behind each, the first after a line feed.
    """
    commits: list[Commit] = []
    fields = output.split(b"\0")
    at = 0
    while at + 6 < len(fields) and _HASH.fullmatch(name := fields[at + 2].decode("ascii", "replace")):
        time, author, message = fields[at + 3 : at + 6]
        at += 7
        end = at
        while end < len(fields) and fields[end]:
            end += 1
        paths = [fields[at].removeprefix(b"\n"), *fields[at + 1 : min(end, at + FILES_MAX)]] if end > at else []
        subject, body = message_of(message, redact)
        commits.append(
            Commit(
                name,
                _time_ms(time),
                _author(author, redact),
                subject,
                body,
                tuple(_path(each, redact) for each in paths),
                end - at,
            )
        )
        at = end
    return commits


def message_of(message: bytes, redact: Redactor) -> tuple[str, str]:
    """Return subject and body: plain, redacted, without trailers and addresses."""
    text = _whole_lines(message).decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    text = redact(without_control(text)).lstrip()
    first, *rest = [_ADDRESS.sub("", line).rstrip() for line in without_trailers(text.split("\n"))] or [""]
    body = "\n".join(rest if len(first) <= SUBJECT_CHARACTERS_MAX else [first, *rest]).strip()
    if len(message) > MESSAGE_BYTES_MAX or len(body) > BODY_CHARACTERS_MAX:
        body = body[: BODY_CHARACTERS_MAX - len(CUT)].rstrip() + CUT
    return one_line(first, SUBJECT_CHARACTERS_MAX), body


def _whole_lines(text: bytes) -> bytes:
    return text if len(text) <= MESSAGE_BYTES_MAX else text[:MESSAGE_BYTES_MAX].rpartition(b"\n")[0]


def _author(author: bytes, redact: Redactor) -> str:
    name = redact(without_control(_whole_lines(author).decode("utf-8", "replace")))
    return one_line(_ADDRESS.sub("", name).strip(), AUTHOR_CHARACTERS_MAX)


def _time_ms(seconds: bytes) -> int:
    digits = seconds.strip()[:20]
    return min(int(digits) * 1000, TIME_MS_MAX) if digits.isdigit() else 0


def _path(path: bytes, redact: Redactor) -> str:
    name = os.fsdecode(path)
    plain = without_control(name)
    has_hidden_secret = redact(plain) != plain
    clean = redact(plain if has_hidden_secret else name)
    return without_control(shown_name(clean, WRITTEN_CHARACTERS_MAX * len(clean))[-FILE_CHARACTERS_MAX:])
