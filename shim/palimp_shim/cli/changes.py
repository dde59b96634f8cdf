"""`palimp changes`: code that was taken out."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from palimp_protocol.env.plain_files import read_bounded
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import CHECKED_CHARACTERS_MAX, IMPORT_COMMITS_MAX
from palimp_protocol.messages import removed_code as messages
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import counted, one_line, shown_name
from palimp_shim.cli import replay
from palimp_shim.cli.arguments import Commands, add_subcommand, caller_from, here
from palimp_shim.cli.changes_view import print_checked, print_diff, print_hunks
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import print_json, print_line, print_remark
from palimp_shim.cli.progress import HowFar, wait_until_over
from palimp_shim.cli.staged import staged_texts
from palimp_shim.transport.client import Client

FILE_BYTES_MAX: Final = 16 * 1024 * 1024
"""A file of which CHECKED_CHARACTERS_MAX are checked: longer ones are no code."""


def add_parser(commands: Commands) -> None:
    """Add the command and its subcommands."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "changes",
        help=SUMMARIES["changes"],
        description="Code removed from this project: list it, show it, check whether a change reintroduces it.",
        epilog="Example: palimp changes import; palimp changes check --staged; palimp changes log src/server.py",
    )
    subcommands = parser.add_subparsers(required=True, metavar="COMMAND")
    log = add_subcommand(
        subcommands, "log", "removed code, newest first; exits with 1 when there is none", _log, "src/server.py"
    )
    log.add_argument("path", nargs="?", default="", help="only files whose path contains this")
    log.add_argument("--limit", type=int, default=20, metavar="N", help="rows at most (default 20)")
    show = add_subcommand(subcommands, "show", "what was removed, and why", _show, "h12")
    show.add_argument("id", help="such as h12")
    check = add_subcommand(
        subcommands, "check", "does this code reintroduce removed code? exits with 1 if so", _check, "--staged"
    )
    what = check.add_mutually_exclusive_group(required=True)
    what.add_argument("--staged", action="store_true", help="what git would commit now: for a pre-commit hook")
    what.add_argument(
        "file",
        nargs="?",
        help="check what stands in this file",
    )
    check.add_argument("--stdin", action="store_true", help="check the code on stdin, which is meant for FILE")
    dismiss = add_subcommand(subcommands, "dismiss", "never warn about it again in this project", _dismiss, "h12")
    dismiss.add_argument("id", help="such as h12")
    dismiss.add_argument("--undo", action="store_true", help="watch for it again")
    read = add_subcommand(
        subcommands, "import", "read git's history; may be interrupted, it goes on in the background", _import
    )
    read.add_argument("--status", action="store_true", help="only print the progress")
    how_far = read.add_mutually_exclusive_group()
    how_far.add_argument(
        "--since",
        type=_day,
        metavar="DATE",
        help="read back to this day (2020-01-31), further than changes.keep_days says, and keep what was read",
    )
    how_far.add_argument("--all", dest="since", action="store_const", const=0, help="read back to the first commit")
    replay.add_parser(subcommands)


def _log(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    request = messages.ListChanges(path=options.path, limit=options.limit)
    reply: messages.ChangeList = Client(env).call(OPERATIONS["list_changes"], request, caller_from(options, env))
    if options.is_json:
        print_json(reply)
    elif reply.hunks:
        print_hunks(reply)
    else:
        print_line("No removed code is known here. `palimp changes import` reads git's history.")
    return 0 if reply.hunks else 1


def _show(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    request = messages.ShowChange(id=options.id)
    hunk: messages.RemovedHunk = Client(env).call(OPERATIONS["show_change"], request, caller_from(options, env))
    if options.is_json:
        print_json(hunk)
    else:
        print_diff(hunk)
    return 0


def _dismiss(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    request = messages.DismissChange(id=options.id, watch=options.undo)
    hunk: messages.RemovedHunk = Client(env).call(OPERATIONS["dismiss_change"], request, caller_from(options, env))
    if options.is_json:
        print_json(hunk)
    else:
        done = "is watched for again" if options.undo else "is never warned about again in this project"
        print_line(f"{hunk.id} ({shown_name(hunk.path)}: {one_line(hunk.first)}) {done}.")
    return 0


def _check(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    client, caller = Client(env), caller_from(options, env)
    tree = (caller.project.tree or caller.project.root) if caller.project else here(env)
    found: list[tuple[str, messages.ChangeChecked]] = []
    for path, text in _proposals(options, tree, env).items():
        # A relative path is one from here, wherever the project begins. What stands in the file, or is staged for it,
        # does not count as there already.
        request = messages.CheckChange(
            path=str(Path(path).absolute()), text=text[:CHECKED_CHARACTERS_MAX], is_staged=not options.stdin
        )
        found.append((path, client.call(OPERATIONS["check_change"], request, caller)))
        if len(text) > CHECKED_CHARACTERS_MAX:
            print_remark(f"{shown_name(path)}: only the first {CHECKED_CHARACTERS_MAX:,} characters were checked.")
    is_warned = any(each.level == "warn" for _, reply in found for each in reply.returns)
    if options.is_json:
        returns = [each for _, reply in found for each in reply.returns]
        notes = [note for _, reply in found for note in reply.notes]
        last = found[-1][1] if found else messages.ChangeChecked(returns=[], new_lines=0)
        new_lines = sum(reply.new_lines for _, reply in found)
        print_json(replace(last, returns=returns, new_lines=new_lines, notes=notes))
    else:
        print_checked(found)
        if options.staged and is_warned:
            print_line("Commit with --no-verify if it is wanted, or `palimp changes dismiss ID`.")
        elif not options.staged:
            _print_unsuspicious(found)
    return 1 if is_warned else 0


def _print_unsuspicious(found: Sequence[tuple[str, messages.ChangeChecked]]) -> None:
    """Say of each file in which no removed code was found how much of it was checked."""
    for path, reply in found:
        if not reply.returns:
            checked = counted(reply.new_lines, "new line")
            what = "removed code" if reply.history == "read" else "removed code that is known"
            print_line(f"{shown_name(path)}: {checked} checked, no {what} is among them.")


def _proposals(options: argparse.Namespace, tree: str, env: Mapping[str, str]) -> Mapping[str, str]:
    """Return the code to check, for each file that it is meant for.

    Raises:
        PalimpError: a file was named, and there is nothing to check in it.
    """
    if options.staged and options.stdin:
        raise PalimpError(ErrorCode.BAD_REQUEST, "--stdin goes with a FILE, not with --staged.")
    if options.staged:
        return {path: text for path, text in staged_texts(tree, env).items() if text.strip()}
    # Without --stdin it is left alone: in a shell's loop over files it has the names of the next ones.
    text = sys.stdin.read() if options.stdin else _in(options.file)
    if not text.strip():
        empty = "Nothing came on stdin" if options.stdin else f"{options.file} is empty"
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{empty}: there is nothing to check.")
    return {options.file: text}


def _in(file: str) -> str:
    """Return the code in *file*.

    Raises:
        PalimpError: it cannot be read.
    """
    try:
        return read_bounded(Path(file), FILE_BYTES_MAX).decode("utf-8", "replace")
    except OSError as error:
        hint = f"Code that is not in a file yet is checked with: palimp changes check {file} --stdin"
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{file} cannot be read: {error.strerror}.", hint) from None


def _import(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    client, caller = Client(env), caller_from(options, env)
    if caller.project is None:
        raise PalimpError(ErrorCode.BAD_REQUEST, "This folder is in no project.", "Run it inside a repository.")

    def ask(*, start: bool) -> messages.ImportStatus:
        request = messages.ImportChanges(start=start, since=options.since if start else None)
        return client.call(OPERATIONS["import_changes"], request, caller)

    status = ask(start=not options.status)
    if not options.status:
        if sys.stderr.isatty():
            sys.stderr.write(f"palimp: reading git's history {_window(status)}\n")
        status = wait_until_over("reading git's history", status, partial(ask, start=False), _how_far)
    if options.is_json:
        print_json(status)
    else:
        state = "reading; " if status.is_running else ""
        print_line(f"{state}commits read: {status.commits:,}; pieces of removed code known: {status.hunks:,}")
        if status.commits:
            print_line(f"read {_window(status)}{_left_out(status)}")
        if status.problem:
            print_line(f"PROBLEM  {status.problem}")
    return 4 if status.problem else 0


def _window(status: messages.ImportStatus) -> str:
    """Return how far back is read."""
    if not status.since:
        return "back to the first commit"
    return f"back to {datetime.fromtimestamp(status.since / 1000, tz=UTC):%Y-%m-%d}"


def _left_out(status: messages.ImportStatus) -> str:
    """Return what was not read, and how it is."""
    if not status.left_out:
        return ""
    how = "`--all` reads them, `--since DATE` some" if status.since else f"{IMPORT_COMMITS_MAX:,} are read at most"
    return f"; {counted(status.left_out, 'older commit')} left out ({how})"


def _day(text: str) -> int:
    """Return the beginning of a day in milliseconds since 1970 (UTC).

    Raises:
        argparse.ArgumentTypeError: it is no day.
    """
    try:
        day = datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no day such as 2020-01-31") from None
    return max(0, int(day.timestamp() * 1000))


def _how_far(status: messages.ImportStatus) -> HowFar:
    said = f"{status.commits:,} of {counted(status.total, 'commit')}" if status.total else "looking for commits"
    return HowFar(is_over=not status.is_running, done=status.commits, total=status.total, said=said)
