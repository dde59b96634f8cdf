"""`palimp restore`: restore purged memories."""

import argparse
from collections.abc import Mapping

from palimp_shim.cli.arguments import Commands
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.delete import add_ids, change


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "restore",
        help=SUMMARIES["restore"],
        description="Restore purged memories by id.",
        epilog="Example: palimp list --purged; palimp restore m1rv7je2",
    )
    add_ids(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Restore the memories."""
    return change("restore", "Restored", options, env)
