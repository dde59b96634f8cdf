"""`palimp supersede`: say that a memory replaces another, narrows it, or disagrees with it."""

import argparse
from collections.abc import Mapping
from typing import Final

from palimp_protocol.messages.links import Supersede, Superseded
from palimp_protocol.messages.memories import Relation
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import titled
from palimp_shim.cli.arguments import Commands, add_json, add_scope, caller_from
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import print_json, print_line, print_remark
from palimp_shim.transport.client import Client

DOES: Final[dict[Relation, str]] = {
    "replaces": "replaces",
    "narrows": "narrows",
    "disagrees": "disagrees with",
}
"""What the newer memory does, in words."""


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "supersede",
        help=SUMMARIES["supersede"],
        description=(
            "Record that the memory NEW replaces OLD (search then shows OLD below NEW, and sessions are not shown it),"
            " is an exception to it (--narrows), or contradicts it (--disagrees). Neither text changes; `palimp undo`"
            " reverts the link."
        ),
        epilog='Example: palimp supersede m1rv7je2 m1rv9abc --why "measured again"; palimp supersede OLD NEW --narrows',
    )
    parser.add_argument("older", metavar="OLD", help="the id of the memory that is replaced, or its beginning")
    parser.add_argument("newer", metavar="NEW", help="the id of the memory that replaces it")
    relation = parser.add_mutually_exclusive_group()
    relation.add_argument(
        "--narrows", dest="relation", action="store_const", const="narrows", help="NEW is an exception to OLD"
    )
    relation.add_argument(
        "--disagrees", dest="relation", action="store_const", const="disagrees", help="they contradict each other"
    )
    parser.add_argument("--why", metavar="TEXT", default="", help="the reason")
    add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=run, relation="replaces")


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Ask the daemon and say what holds now."""
    request = Supersede(older=options.older, newer=options.newer, relation=options.relation, why=options.why)
    reply: Superseded = Client(env).call(OPERATIONS["supersede"], request, caller_from(options, env))
    if options.is_json:
        print_json(reply)
        return 0
    before = "As before: " if reply.is_known else ""
    print_line(f"{before}{reply.newer.id} {titled(reply.newer.title)}")
    print_line(f"{DOES[reply.relation]} {reply.older.id} {titled(reply.older.title)}.")
    print_remark(f"`palimp undo {reply.link}` takes it back.")
    return 0
