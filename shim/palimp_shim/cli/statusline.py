"""`palimp statusline`: what is told of it. It runs in `hooks.status_line`, since a client starts it so often."""

import argparse
from collections.abc import Mapping

from palimp_shim.cli.arguments import Commands
from palimp_shim.cli.commands import SUMMARIES


def add_parser(commands: Commands) -> None:
    """Add the command, which has no options: the client says on stdin which session it is."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "statusline",
        help=SUMMARIES["statusline"],
        description=(
            "Print one line for Claude Code's statusLine setting: how many memories the project has, how many this"
            " session was given unasked, and how many proposals wait for `palimp review`. Claude Code says on stdin"
            " which session it is. Prints nothing, and exits with 0, without a daemon, in no project, or where palimp"
            " is off; starts no daemon."
        ),
        epilog='Example, in ~/.claude/settings.json: "statusLine": {"type": "command", "command": "palimp statusline"}',
    )
    parser.set_defaults(run=run)


def run(_: argparse.Namespace, __: Mapping[str, str]) -> int:
    """Do nothing: `__main__` has printed the line before anything was parsed."""
    return 0
