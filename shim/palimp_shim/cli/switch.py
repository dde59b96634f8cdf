"""`palimp off` and `palimp on`: no agent gets anything of palimp in this project, until it is switched on again."""

import argparse
from collections.abc import Mapping

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.projects import Switch, Switched
from palimp_protocol.operations import OPERATIONS
from palimp_shim.cli.arguments import Commands, add_json, caller_from
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import print_json, print_line
from palimp_shim.transport.client import Client

COMMANDS = {
    "off": (
        "Switch palimp off in this project, for you: sessions are given nothing of it, nothing of them is stored, and"
        " removed code is not watched. Each session says so once. Stored data stays; in the terminal everything works.",
        "Example: palimp off; palimp off --project ~/src/customer",
    ),
    "on": (
        "Switch palimp on again in a project where it was switched off.",
        "Example: palimp on; palimp on --project ~/src/customer",
    ),
}


def add_parser(commands: Commands) -> None:
    """Add both commands."""
    for name, (description, example) in COMMANDS.items():
        if name in commands.choices:  # the other one's module is this, too
            continue
        parser: argparse.ArgumentParser = commands.add_parser(
            name, help=SUMMARIES[name], description=description, epilog=example
        )
        parser.add_argument("--project", metavar="DIR", help="the project of DIR instead of the working folder's")
        add_json(parser)
        parser.set_defaults(run=run, is_on=name == "on", is_global=False)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Switch, and say what holds now."""
    caller = caller_from(options, env)
    if caller.project is None:
        raise PalimpError(
            ErrorCode.BAD_REQUEST, "This folder is in no project.", "Go into one, or name it: --project DIR."
        )
    reply: Switched = Client(env).call(OPERATIONS["switch"], Switch(on=options.is_on), caller)
    if options.is_json:
        print_json(reply)
        return 0
    already = "" if reply.is_changed else " already"
    if reply.is_on:
        print_line(f"palimp is on{already} for {reply.root}.")
    else:
        print_line(
            f"palimp is off{already} for {reply.root}: agents get nothing of it there. `palimp on` takes it back."
        )
    return 0
