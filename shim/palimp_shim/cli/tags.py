"""`palimp tags`: list tags and how many memories have each."""

import argparse
from collections.abc import Mapping

from palimp_protocol.limits import TAGS_LISTED_MAX
from palimp_protocol.messages.tags import ListTags, TagList
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import counted
from palimp_shim.cli.arguments import Commands, add_json, add_scope, caller_from
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import print_json, print_line, print_remark
from palimp_shim.cli.tables import Column, is_terminal, print_table
from palimp_shim.transport.client import Client


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "tags",
        help=SUMMARIES["tags"],
        description="List the tags of the project's memories, the most frequent first. Exits with 1 without any.",
        epilog="Example: palimp tags; palimp list --tag api",
    )
    parser.add_argument(
        "--all", dest="is_all", action="store_true", help="this project and the global scope (not other projects)"
    )
    parser.add_argument(
        "--limit", type=int, default=TAGS_LISTED_MAX, metavar="N", help=f"tags at most (default {TAGS_LISTED_MAX:,})"
    )
    add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Ask the daemon and print the tags."""
    request = ListTags(scope="all" if options.is_all else "project", limit=options.limit)
    reply: TagList = Client(env).call(OPERATIONS["tags"], request, caller_from(options, env))
    if options.is_json:
        print_json(reply)
    elif not reply.tags:
        print_line("No memory here has a tag: `palimp add TEXT --tag TAG` gives one.")
    elif is_terminal():
        rows = [[each.tag, f"{each.count:,}"] for each in reply.tags]
        print_table([Column("tag", "cyan"), Column("memories", is_number=True)], rows)
    else:
        for each in reply.tags:
            print_line(f"{each.tag}\t{counted(each.count, 'memory')}")
    if len(reply.tags) < reply.total and not options.is_json:
        print_remark(f"{len(reply.tags):,} of {reply.total:,} shown.")
    return 0 if reply.tags else 1
