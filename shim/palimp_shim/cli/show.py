"""`palimp show`: whole memories by id."""

import argparse
from collections.abc import Mapping

from palimp_protocol.messages.memories import Recall
from palimp_shim.cli.arguments import Commands, add_json, add_scope, recall
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import print_full, print_json, print_remarks


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "show",
        help=SUMMARIES["show"],
        description=(
            "Print whole memories by id, each with its history: what it replaced and what replaced it, who said so, and"
            " what narrows it or disagrees with it. Exits with 1 when an id names nothing here."
        ),
        epilog="Example: palimp show m1rv7je2",
    )
    parser.add_argument("ids", nargs="+", metavar="ID", help="an id or its unambiguous beginning")
    parser.add_argument("--purged", action="store_true", help="purged ones too")
    add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Print the memories."""
    reply = recall(Recall(ids=options.ids, include_purged=options.purged), options, env)
    if options.is_json:
        print_json(reply)
    else:
        print_full(reply.memories)
        print_remarks(reply)
    return 1 if reply.unknown else 0
