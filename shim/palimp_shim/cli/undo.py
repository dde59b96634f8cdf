"""`palimp undo`: take the last compact back."""

import argparse
from collections.abc import Mapping

from palimp_protocol.messages.merge import Undo, Undone
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import counted
from palimp_shim.cli.arguments import Commands, add_json, add_scope, caller_from
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import minute, print_json, print_line, print_remark
from palimp_shim.transport.client import Client


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "undo",
        help=SUMMARIES["undo"],
        description="Take the last `palimp compact --apply` of this project back; again, the one before it.",
        epilog="Example: palimp undo (what was purged comes back with `palimp restore ID`)",
    )
    add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Ask the daemon and print what is no longer superseded."""
    reply: Undone = Client(env).call(OPERATIONS["undo"], Undo(), caller_from(options, env))
    if options.is_json:
        print_json(reply)
    else:
        print_line(f"As before {minute(reply.made_at)}: {counted(reply.memories, 'memory')} brought back.")
        for memory_id in reply.left:
            print_remark(f"{memory_id} was purged or replaced since, and stays so.")
    return 0
