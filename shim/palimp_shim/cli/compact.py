"""`palimp compact`: merge what says the same."""

import argparse
from collections.abc import Mapping

from palimp_protocol.messages.merge import Compact, Compacted, Progress, ProgressMade
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import one_line
from palimp_shim.cli.arguments import Commands, add_json, add_scope, caller_from
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import has_colour, print_json, print_line, print_remark
from palimp_shim.cli.progress import LOOK_S, WaitingBar
from palimp_shim.transport.client import Client

COMMAND_S = 3_600.0
"""Seconds to wait: a large store under load takes minutes."""


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "compact",
        help=SUMMARIES["compact"],
        description=(
            "Find memories that say the same as a newer one, or that a newer one says it replaces, and show the plan."
            " --apply marks the older ones as superseded (`palimp undo` takes it back), merges the search index,"
            " shortens the WAL and deletes what is beyond its limits."
        ),
        epilog="Example: palimp compact; palimp compact --apply",
    )
    parser.add_argument("--apply", action="store_true", help="do it")
    add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Ask the daemon, show its progress, and print the plan or what was done."""
    caller = caller_from(options, env)
    looking = Client(env, deadline_s=LOOK_S)

    def look() -> ProgressMade:
        return looking.call(OPERATIONS["compact_progress"], Progress(), caller)

    with WaitingBar("compact", look):
        client = Client(env, deadline_s=COMMAND_S)
        reply: Compacted = client.call(OPERATIONS["compact"], Compact(apply=options.apply), caller)
    if options.is_json:
        print_json(reply)
    else:
        _print(reply)
    return 0


def _print(reply: Compacted) -> None:
    bold, dim, plain = ("\033[1m", "\033[2m", "\033[0m") if has_colour() else ("", "", "")
    for each in reply.merges:
        print_line(f"{each.id}  {one_line(each.title)}")
        print_line(f"{dim}  → {each.into}  {one_line(each.into_title)} ({each.why}){plain}")
    if not reply.total:
        print_line("Nothing says the same as something newer.")
    elif reply.is_applied:
        print_line(f"{bold}{reply.total:,} superseded by newer ones.{plain} `palimp undo` takes it back.")
    else:
        print_line(f"{bold}{reply.total:,} would be superseded by newer ones.{plain} `palimp compact --apply` does it.")
    for line in (*reply.tidied, *reply.notes):
        print_remark(line)
