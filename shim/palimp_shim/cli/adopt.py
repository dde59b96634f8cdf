"""`palimp adopt`: a folder that was moved gets what is known of the former one."""

import argparse
from collections.abc import Mapping
from pathlib import Path

from palimp_protocol.messages.projects import Adopt, Adopted
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import counted
from palimp_shim.cli.arguments import Commands, add_json, add_scope, caller_from
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import print_json, print_line
from palimp_shim.transport.client import Client

UNKNOWN_FOLDER = "palimp:"
"""How the name begins that a repair gave to a folder which it could not find out."""


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "adopt",
        help=SUMMARIES["adopt"],
        description=(
            "Give this project the memories of its former folder, which was moved or renamed, with its sessions,"
            " removed code and versions of documents. The project keeps its own, too. It cannot be undone."
        ),
        epilog="Example: cd ~/work/new-name && palimp adopt ~/work/old-name",
    )
    parser.add_argument("former", help="the former folder, as `palimp projects` shows it")
    add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Ask the daemon and print what became this project's."""
    former = options.former
    if not former.startswith(UNKNOWN_FOLDER):
        # Links are not followed: one may have been left there, which leads here.
        former = str(Path(former).expanduser().absolute())
    reply: Adopted = Client(env).call(OPERATIONS["adopt"], Adopt(root=former), caller_from(options, env))
    if options.is_json:
        print_json(reply)
        return 0
    beside = f", beside its own {reply.joined:,}" if reply.joined else ""
    print_line(
        f"{counted(reply.memories, 'memory')}{beside}, {counted(reply.removed, 'piece')} of removed code and"
        f" {counted(reply.sessions, 'session')} of {reply.root} are this project's now."
    )
    return 0
