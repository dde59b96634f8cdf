"""`palimp context`: what a session of this project is given at its start."""

import argparse
from collections.abc import Mapping

from palimp_protocol.messages.context import Context, ContextGiven
from palimp_protocol.operations import OPERATIONS
from palimp_shim.cli.arguments import Commands, add_json, add_scope, caller_from
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import print_json, print_remark, print_text
from palimp_shim.transport.client import Client

NOTHING = (
    "This project has no memories yet: its session context is empty. `palimp add` saves a memory, `palimp changes"
    " import` reads the code that git's history removed."
)

OFF = "palimp is off in this project: its sessions are given nothing of it."


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "context",
        help=SUMMARIES["context"],
        description=(
            "Print the session context, the index that a session of this project gets at its start: decisions, memories"
            " that fit branch, files and commits, recently removed code. Exits with 1 when it is empty."
        ),
        epilog="Example: palimp context --project ~/src/shop",
    )
    add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Ask for the context and print it."""
    reply: ContextGiven = Client(env).call(OPERATIONS["context"], Context(), caller_from(options, env))
    if options.is_json:
        print_json(reply)
    elif reply.text:
        print_text(reply.text)
    elif not reply.is_off:
        print_remark(NOTHING)
    if reply.is_off:
        print_remark(OFF, "`palimp on` switches it on.")
    return 0 if reply.text else 1
