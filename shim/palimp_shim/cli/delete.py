"""`palimp delete`: purge memories, which `palimp restore` takes back."""

import argparse
from collections.abc import Mapping
from typing import Literal

from palimp_protocol.operations import Recall
from palimp_shim.cli.arguments import Commands, add_json, add_scope, recall
from palimp_shim.cli.output import print_json, print_line, print_remarks


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "delete",
        help="purge memories (can be restored)",
        description="Purge memories by id: they are found no more, and can be restored.",
        epilog="Example: palimp delete m1rv7je2 m1rv7hqx; palimp restore m1rv7je2",
    )
    add_ids(parser)
    parser.set_defaults(run=run)


def add_ids(parser: argparse.ArgumentParser) -> None:
    """Add the ids and the options that purging and restoring share."""
    parser.add_argument("ids", nargs="+", metavar="ID", help="an id or its unambiguous beginning")
    add_scope(parser)
    add_json(parser)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Purge the memories."""
    return change("purge", "Purged", options, env)


def change(action: Literal["purge", "restore"], done: str, options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Purge or restore the memories and say which; exit with 1 when an id names nothing here."""
    reply = recall(Recall(ids=options.ids, action=action), options, env)
    if options.is_json:
        print_json(reply)
    else:
        for memory in reply.memories:
            print_line(f"{done} {memory.id} {memory.title}")
        print_remarks(reply)
    return 1 if reply.unknown else 0
