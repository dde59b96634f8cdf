"""`palimp list`: the most recent memories."""

import argparse
from collections.abc import Mapping

from palimp_protocol.operations import Recall
from palimp_shim.cli.arguments import Commands, add_description, add_json, add_scope, recall
from palimp_shim.cli.search import print_found


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "list",
        help="the most recent memories",
        description="List the most recent memories of the project, newest first.",
        epilog="Example: palimp list --kind decision --limit 50",
    )
    add_description(parser)
    add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """List and print the rows."""
    request = Recall(
        title=options.title,
        kind=options.kind,
        detail=options.detail,
        tags=options.tags,
        limit=options.limit,
        include_purged=options.purged,
        scope="all" if options.is_all else "project",
    )
    return print_found(recall(request, options, env), is_json=options.is_json)
