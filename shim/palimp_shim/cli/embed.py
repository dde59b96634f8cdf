"""`palimp embed`: wait until every memory can be ranked semantically, or print the progress."""

import argparse
import sys
import time
from collections.abc import Mapping

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.daemon import Embedding, EmbeddingStatus
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import counted
from palimp_shim.cli.arguments import Commands, add_json
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import print_json, print_line, print_remark
from palimp_shim.transport.client import Client

LOOK_S = 0.5
"""Seconds between two looks at its progress."""

LINE_S = 5.0
"""Seconds between two lines of progress where there is no terminal for a bar."""


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
        status = _wait(client, status)
    if options.is_json:
        print_json(status)
    else:
        print_line(f"{status.embedded:,} of {counted(status.memories, 'memory')} embedded with {status.model}")
        if status.problem:
            print_line(f"PROBLEM  {status.problem} {status.hint}")
        elif status.remark:
            print_remark(f"{status.remark} {status.hint}")
    return 4 if status.problem else 0


def _wait(client: Client, status: EmbeddingStatus) -> EmbeddingStatus:
    if not sys.stderr.isatty():
        return _wait_in_lines(client, status)
    from rich.console import Console  # noqa: PLC0415  only here, and it is slow to import
    from rich.progress import Progress  # noqa: PLC0415

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("embedding", total=status.memories, completed=status.embedded)
        while status.embedded < status.memories and not status.problem:
            time.sleep(LOOK_S)
            status = _status(client)
            progress.update(task, total=status.memories, completed=status.embedded)
    return status


def _wait_in_lines(client: Client, status: EmbeddingStatus) -> EmbeddingStatus:
    last = time.monotonic()
    while status.embedded < status.memories and not status.problem:
        time.sleep(LOOK_S)
        status = _status(client)
        if time.monotonic() - last >= LINE_S:
            last = time.monotonic()
            print_remark(f"embedding: {status.embedded:,} of {counted(status.memories, 'memory')}")
    return status


def _status(client: Client) -> EmbeddingStatus:
    return client.call(OPERATIONS["embedding"], Embedding(), Caller())
