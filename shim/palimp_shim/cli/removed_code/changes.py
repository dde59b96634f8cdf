"""`palimp changes`: removed code."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from palimp_protocol.env.plain_files import read_bounded
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import CHECKED_CHARACTERS_MAX, IMPORT_COMMITS_MAX
from palimp_protocol.messages.removed_code import (
    ChangeChecked,
    ChangeList,
    CheckChange,
    DismissChange,
    ImportChanges,
    ImportStatus,
    RemovedHunk,
)
from palimp_protocol.text import count_of, one_line, shown_name
from palimp_shim.cli.command import EXIT_FAILED, Invocation, argument, choice, command, flag, group, here, one_of
from palimp_shim.cli.output import print_json, print_line, print_remark
from palimp_shim.cli.progress import HowFar, wait_until_over
from palimp_shim.cli.removed_code.changes_view import print_checked, print_diff, print_hunks
from palimp_shim.cli.removed_code.replay import replay
from palimp_shim.cli.removed_code.staged import staged_texts

FILE_BYTES_MAX: Final = 16 * 1024 * 1024
"""Bytes of a file; larger ones are no code. CHECKED_CHARACTERS_MAX are checked."""


group(
    "changes",
    "Code removed from this project: list it, show it, check whether a change reintroduces it.",
    "palimp changes import; palimp changes check --staged; palimp changes log src/server.py",
)

ID: Final = argument("id", help="such as h12")


@command(
    "changes log",
    "removed code, newest first; exits with 1 when there is none",
    argument("path", nargs="?", help="only files whose path contains this"),
    argument("--limit", type=int, metavar="N", help="rows at most (default 20)"),
    asks=("list_changes",),
    example="src/server.py",
)
def log(typed: Invocation) -> int:
    """List removed code."""
    reply: ChangeList = typed.answer()
    if reply.hunks and not typed.is_json:
        print_hunks(reply)
    elif not typed.is_json:
        print_line("No removed code is known here. `palimp changes import` reads git's history.")
    return 0 if reply.hunks else 1


@command("changes show", "what was removed, and why", ID, asks=("show_change",), example="h12")
def show(typed: Invocation) -> None:
    """Print a hunk as a diff."""
    hunk: RemovedHunk = typed.answer()
    if not typed.is_json:
        print_diff(hunk)


@command(
    "changes check",
    "does this code reintroduce removed code? exits with 1 if so",
    one_of(
        flag("--staged", "what git would commit now: for a pre-commit hook", sets="is_staged"),
        argument("file", metavar="FILE", sets="path", nargs="?", help="check what stands in this file"),
        required=True,
    ),
    flag("--stdin", "check the code on stdin, which is meant for FILE"),
    asks=("check_change",),
    example="--staged",
    unset={"text": "it is read from the file, from stdin, or staged"},
)
def check(typed: Invocation) -> int:
    """Check files, and print removed code that comes back."""
    options, project = typed.options, typed.caller.project
    found: list[tuple[str, ChangeChecked]] = []
    for path, text in _proposals(typed, (project.tree or project.root) if project else here(typed.env)).items():
        # A relative path is one from here, wherever the project begins. What stands in the file, or is staged for it,
        # does not count as there already.
        request = CheckChange(
            path=str(Path(path).absolute()), text=text[:CHECKED_CHARACTERS_MAX], is_staged=not options.stdin
        )
        found.append((_from(here(typed.env), path), typed.ask(request)))
        if len(text) > CHECKED_CHARACTERS_MAX:
            print_remark(f"{shown_name(path)}: only the first {CHECKED_CHARACTERS_MAX:,} characters were checked.")
    is_warned = any(each.level == "warn" for _, reply in found for each in reply.returns)
    if typed.is_json:
        returns = [each for _, reply in found for each in reply.returns]
        notes = [note for _, reply in found for note in reply.notes]
        last = found[-1][1] if found else ChangeChecked(returns=[], new_lines=0)
        new_lines = sum(reply.new_lines for _, reply in found)
        print_json(replace(last, returns=returns, new_lines=new_lines, notes=notes))
    else:
        print_checked(found)
        if options.staged and is_warned:
            print_line("Commit with --no-verify if it is wanted, or `palimp changes dismiss ID`.")
        elif not options.staged:
            _print_unsuspicious(found)
    return 1 if is_warned else 0


def _from(folder: str, path: str) -> str:
    return str(Path(path).relative_to(folder)) if Path(path).is_relative_to(folder) else path


def _print_unsuspicious(found: Sequence[tuple[str, ChangeChecked]]) -> None:
    for path, reply in found:
        if not reply.returns:
            checked = count_of(reply.new_lines, "new line")
            what = "removed code" if reply.history == "read" else "removed code that is known"
            print_line(f"{shown_name(path)}: {checked} checked, no {what} is among them.")


def _proposals(typed: Invocation, tree: str) -> Mapping[str, str]:
    options = typed.options
    if options.staged and options.stdin:
        raise PalimpError(ErrorCode.BAD_REQUEST, "--stdin goes with a FILE, not with --staged.")
    if options.staged:
        return {path: text for path, text in staged_texts(tree, typed.env).items() if text.strip()}
    # Without --stdin it is left alone: in a shell's loop over files it has the names of the next ones.
    text = sys.stdin.read() if options.stdin else _in(options.file)
    if not text.strip():
        empty = "Nothing came on stdin" if options.stdin else f"{options.file} is empty"
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{empty}: there is nothing to check.")
    return {options.file: text}


def _in(file: str) -> str:
    try:
        return read_bounded(Path(file), FILE_BYTES_MAX).decode("utf-8", "replace")
    except OSError as error:
        hint = f"Code that is not in a file yet is checked with: palimp changes check {file} --stdin"
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{file} cannot be read: {error.strerror}.", hint) from None


@command(
    "changes dismiss",
    "never warn about it again in this project",
    ID,
    flag("--undo", "watch for it again", sets="watch"),
    asks=("dismiss_change",),
    example="h12",
)
def dismiss(typed: Invocation) -> None:
    """Dismiss a hunk, or watch for it again."""
    options = typed.options
    hunk: RemovedHunk = typed.answer(DismissChange(id=options.id, watch=options.undo))
    if not typed.is_json:
        done = "is watched for again" if options.undo else "is never warned about again in this project"
        print_line(f"{hunk.id} ({shown_name(hunk.path)}: {one_line(hunk.first)}) {done}.")
        if not options.undo:
            print_remark(f"`palimp changes dismiss --undo {hunk.id}` takes that back.")


def _day(text: str) -> int:
    try:
        day = datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no day such as 2020-01-31") from None
    return max(0, int(day.timestamp() * 1000))


@command(
    "changes import",
    "read git's history; may be interrupted, it goes on in the background",
    flag("--status", "only print the progress", sets="start"),
    one_of(
        argument(
            "--since",
            type=_day,
            metavar="DATE",
            help="read back to this day (2020-01-31), further than changes.keep_days says, and keep what was read",
        ),
        choice("--all", "read back to the first commit", "since", 0),
    ),
    asks=("import_changes",),
)
def read_history(typed: Invocation) -> int:
    """Read git's history and wait, or print progress."""
    if typed.caller.project is None:
        raise PalimpError(ErrorCode.BAD_REQUEST, "This folder is in no project.", "Run it inside a repository.")
    starts = not typed.options.status
    request = ImportChanges(start=starts, since=typed.options.since if starts else None)
    status: ImportStatus = typed.ask(request)
    if starts:
        if sys.stderr.isatty():
            sys.stderr.write(f"palimp: reading git's history {_window(status)}\n")
        status = wait_until_over(
            "reading git's history", status, lambda: typed.ask(ImportChanges(start=False)), _how_far
        )
    if typed.is_json:
        print_json(status)
    else:
        state = "reading; " if status.is_running else ""
        print_line(f"{state}commits read: {status.commits:,}; pieces of removed code known: {status.hunks:,}")
        if status.commits:
            print_line(f"read {_window(status)}{_left_out(status)}")
        if status.problem:
            print_line(f"PROBLEM  {status.problem}")
    return EXIT_FAILED if status.problem else 0


def _window(status: ImportStatus) -> str:
    if not status.since:
        return "back to the first commit"
    return f"back to {datetime.fromtimestamp(status.since / 1000, tz=UTC):%Y-%m-%d}"


def _left_out(status: ImportStatus) -> str:
    if not status.left_out:
        return ""
    how = "`--all` reads them, `--since DATE` some" if status.since else f"{IMPORT_COMMITS_MAX:,} are read at most"
    return f"; {count_of(status.left_out, 'older commit')} left out ({how})"


def _how_far(status: ImportStatus) -> HowFar:
    said = f"{status.commits:,} of {count_of(status.total, 'commit')}" if status.total else "looking for commits"
    return HowFar(is_over=not status.is_running, done=status.commits, total=status.total, said=said)


command(
    "changes replay",
    "count the warnings that a repository's history would have raised",
    argument("repository", nargs="?", default=".", help="a git repository (default: the working folder)"),
    argument("--last", type=int, default=0, metavar="N", help="count only in the last N commits"),
    flag("--list", "print each of them", "is_listed"),
    description=(
        "Goes through a repository's first-parent history with a store of its own and counts the added hunks that would"
        " have been called removed before. Nothing is kept."
    ),
    example="~/src/flask --last 1000 --list",
    scope=False,
)(replay)
