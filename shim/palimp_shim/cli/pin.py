"""`palimp pin`: memories that every session is told at its start."""

import argparse
from collections.abc import Mapping

from palimp_protocol.messages.links import Pin, Pinned
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import one_line
from palimp_shim.cli.arguments import Commands, add_json, add_scope, caller_from
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import print_json, print_line, print_remark
from palimp_shim.transport.client import Client


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "pin",
        help=SUMMARIES["pin"],
        description=(
            "Pin memories: every session of the project starts with them, whatever it is about. When a pinned memory is"
            " replaced, its replacement is shown instead. Pinning unmutes."
        ),
        epilog="Example: palimp pin m1rv7je2; palimp pin --off m1rv7je2",
    )
    parser.add_argument("ids", nargs="+", metavar="ID", help="an id or its unambiguous beginning")
    parser.add_argument("--off", action="store_true", help="unpin them")
    add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Ask the daemon and say what is pinned now; exit with 1 when an id names nothing here."""
    request = Pin(ids=options.ids, off=options.off)
    reply: Pinned = Client(env).call(OPERATIONS["pin"], request, caller_from(options, env))
    if options.is_json:
        print_json(reply)
    else:
        for memory in reply.memories:
            print_line(f"{'Not pinned any more:' if options.off else 'Pinned'} {memory.id} {one_line(memory.title)}")
        for memory_id in reply.unchanged:
            print_remark(f"{memory_id}: {'not pinned' if options.off else 'pinned already'}")
        for said in reply.unknown:
            print_remark(said)
    return 1 if reply.unknown else 0
