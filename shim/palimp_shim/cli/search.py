"""`palimp search`: find memories by words."""

import argparse
from collections.abc import Callable, Mapping
from typing import Final

from palimp_protocol.operations import Recall, Recalled
from palimp_protocol.plain import one_line
from palimp_shim.cli.arguments import Commands, add_description, add_json, add_scope, recall
from palimp_shim.cli.output import print_full, print_json, print_line, print_memories, print_remarks, print_timeline


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "search",
        help="find memories by words or a question",
        description="Find memories by words or a question, best first. Exits with 1 when nothing is found.",
        epilog="Example: palimp search why did we drop redis --kind decision",
    )
    parser.add_argument("query", nargs="+", help="words or a question")
    parser.add_argument("--explain", action="store_true", help="say why each row is where it is")
    add_description(parser)
    add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Search and print the rows."""
    request = Recall(
        query=" ".join(options.query),
        title=options.title,
        kind=options.kind,
        detail=options.detail,
        tags=options.tags,
        limit=options.limit,
        include_purged=options.purged,
        scope="all" if options.is_all else "project",
        explain=options.explain,
    )
    return print_found(recall(request, options, env), is_json=options.is_json)


def print_found(reply: Recalled, *, is_json: bool) -> int:
    """Print what a search or list came to; return the exit code."""
    if is_json:
        print_json(reply)
    else:
        _PRINTERS[reply.detail](reply)
        print_remarks(reply)
        if not reply.memories and not reply.timeline and not reply.notes:
            print_line(f"No memory matches {one_line(reply.query)}." if reply.query else "Nothing is stored here yet.")
    return 0 if reply.memories or reply.timeline else 1


_PRINTERS: Final[Mapping[str, Callable[[Recalled], None]]] = {
    "compact": print_memories,
    "timeline": print_timeline,
    "full": lambda reply: print_full(reply.memories),
}
