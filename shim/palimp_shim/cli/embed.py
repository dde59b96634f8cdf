"""`palimp embed`: wait until every memory can be ranked semantically, or print the progress."""

import argparse
from collections.abc import Mapping
from functools import partial

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.daemon import Embedding, EmbeddingStatus
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import counted
from palimp_shim.cli.arguments import Commands, add_json
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import print_json, print_line, print_remark
from palimp_shim.cli.progress import HowFar, wait_until_over
from palimp_shim.transport.client import Client


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "embed",
        help=SUMMARIES["embed"],
        description=(
            "Memories are embedded in the background, and again when search.embedding_model changes; recall works"
            " meanwhile. This command waits until all are, with a progress bar on a terminal, else with a line now and"
            " then; it may be interrupted at any time. --status only prints the progress."
        ),
        epilog="Example: palimp embed --status",
    )
    parser.add_argument("--status", action="store_true", help="do not wait")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Ask the daemon until everything is embedded, or once."""
    client = Client(env)
    status = _status(client)
    if not status.is_on and not options.is_json:
        raise PalimpError(ErrorCode.BAD_REQUEST, "Semantic ranking is not installed, or is off.", status.hint)
    if not options.status and status.is_on:
        status = wait_until_over("embedding", status, partial(_status, client), _how_far)
    if options.is_json:
        print_json(status)
    else:
        print_line(f"{status.embedded:,} of {counted(status.memories, 'memory')} embedded with {status.model}")
        if status.problem:
            print_line(f"PROBLEM  {status.problem} {status.hint}")
        elif status.remark:
            print_remark(f"{status.remark} {status.hint}")
    return 4 if status.problem else 0


def _how_far(status: EmbeddingStatus) -> HowFar:
    return HowFar(
        is_over=status.embedded >= status.memories or bool(status.problem),
        done=status.embedded,
        total=status.memories,
        said=f"{status.embedded:,} of {counted(status.memories, 'memory')}",
    )


def _status(client: Client) -> EmbeddingStatus:
    return client.call(OPERATIONS["embedding"], Embedding(), Caller())
