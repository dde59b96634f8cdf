"""Arguments that several commands share, and what they mean for a request."""

import argparse
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, get_args

from palimp_clients.hooks.programs import client_session
from palimp_protocol.env.paths import home_directory
from palimp_protocol.env.project import project_from_directory, working_directory
from palimp_protocol.env.zone import zone_name
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import CLIENT_DEADLINE_S, DOCUMENTS_READ_S
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.messages.memories import Detail, MemoryKind, Recall, Recalled, RowKind
from palimp_protocol.operations import OPERATIONS
from palimp_shim.transport.client import Client

Commands = Any
"""What `add_subparsers` returns; argparse gives it no public name."""

Run = Callable[[argparse.Namespace, Mapping[str, str]], int]
"""Does what a command says, in an environment, and returns the exit code."""

KINDS = get_args(MemoryKind)

OPEN_DESCRIPTORS: Final = ("/dev/fd/", "/dev/stdin", "/proc/self/fd/")
"""Where a shell names what it has opened for a command, as in `palimp capture <(pbpaste)`."""


def is_open_descriptor(path: str) -> bool:
    """Tell whether *path* names what the shell has opened for this command, which may be a pipe."""
    return path.startswith(OPEN_DESCRIPTORS)


def add_scope(parser: argparse.ArgumentParser) -> None:
    """Add the options that say whose memories are meant."""
    scope = parser.add_mutually_exclusive_group()
    scope.add_argument("--project", metavar="DIR", help="the project of DIR instead of the working folder's")
    scope.add_argument("--global", dest="is_global", action="store_true", help="the scope outside all projects")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add the option for scripts."""
    parser.add_argument("--json", dest="is_json", action="store_true", help="print the reply as JSON")


def add_subcommand(subcommands: Commands, name: str, text: str, run: Run, example: str = "") -> argparse.ArgumentParser:
    """Add the command *name* of a group, which *text* explains and *run* does, for a project and for scripts.

    *example* is what one types behind the command's name.
    """
    parser: argparse.ArgumentParser = subcommands.add_parser(
        name, help=text, description=text[0].upper() + text[1:] + "."
    )
    parser.epilog = f"Example: {parser.prog} {example}".rstrip()
    add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=run)
    return parser


def add_description(parser: argparse.ArgumentParser) -> None:
    """Add the options that narrow a search or a list."""
    parser.add_argument(
        "--kind",
        choices=get_args(RowKind),
        help="only this kind; or doc, removed-code, conversation, commit, claude-memory",
    )
    parser.add_argument(
        "--detail", choices=get_args(Detail), help="rows, rows with their neighbours in time, or whole texts"
    )
    parser.add_argument("--tag", dest="tags", action="append", default=[], metavar="TAG", help="only with this tag")
    parser.add_argument("--title", metavar="TEXT", help="only with TEXT in the title")
    parser.add_argument(
        "--all", dest="is_all", action="store_true", help="this project and the global scope (not other projects)"
    )
    parser.add_argument("--purged", action="store_true", help="purged ones too; in a list, they come first")
    parser.add_argument("--since", metavar="WHEN", help="saved since a day (2026-11-01), or in the last 7d, 4w, 3m")
    parser.add_argument("--as-of", dest="as_of", metavar="WHEN", help="what was valid then (a day means its end)")
    parser.add_argument(
        "--until", metavar="WHEN", help="saved before a day, a time (2026-11-01T12:00) or a span (7d, 4w, 3m)"
    )


def caller_from(options: argparse.Namespace, env: Mapping[str, str]) -> Caller:
    """Return who asks: the project that *options* name, else the working folder's."""
    key = client_session(env)
    session = SessionRef(key, "palimp") if key else None
    if options.is_global:
        return Caller(None, session, zone_name(env))
    if options.project and not Path(options.project).is_dir():
        raise PalimpError(ErrorCode.BAD_REQUEST, f"--project: {options.project} is not a folder.")
    project = project_from_directory(options.project or here(env), home_directory(env))
    return Caller(ProjectRef(*project) if project else None, session, zone_name(env))


def here(env: Mapping[str, str]) -> str:
    """Return the folder that a command was typed in.

    Raises:
        PalimpError: it is gone.
    """
    try:
        return working_directory(env)
    except OSError as error:
        hint = "Go to another folder, or say --project DIR or --global."
        raise PalimpError(ErrorCode.BAD_REQUEST, f"The working folder is gone ({error.strerror}).", hint) from None


def recall(request: Recall, options: argparse.Namespace, env: Mapping[str, str]) -> Recalled:
    """Return the daemon's answer to *request*."""
    deadline_s = DOCUMENTS_READ_S if request.kind == "doc" else CLIENT_DEADLINE_S
    return Client(env, deadline_s=deadline_s).call(OPERATIONS["recall"], request, caller_from(options, env))


def confirm(what: str, option: str, refusal: str = "Nothing was deleted.") -> None:
    """Have a person at a terminal say yes to *what*, which *option* asks for.

    Raises:
        PalimpError: nobody did; *refusal* says that nothing was done.
    """
    if not (sys.stdin.isatty() and has_said_yes(what)):
        raise PalimpError(ErrorCode.BAD_REQUEST, refusal, f"{option} needs a yes, or --yes.")


def has_said_yes(what: str) -> bool:
    """Tell whether the person at the terminal says yes to *what*."""
    sys.stderr.write(f"{what} Type yes to go on: ")
    sys.stderr.flush()
    return sys.stdin.readline().strip() == "yes"
