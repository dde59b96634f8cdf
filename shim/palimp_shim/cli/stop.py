"""`palimp stop`: end the daemon and wait until it is gone."""

import argparse
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from palimp_protocol import file_lock
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.operations import Caller, Stop, Stopping
from palimp_protocol.paths import lock_path
from palimp_protocol.table import OPERATIONS
from palimp_shim.cli.arguments import Commands, add_json
from palimp_shim.cli.output import print_json, print_line
from palimp_shim.client import Client

STOP_S: Final = 10.0
"""Seconds to wait for the end; the daemon promises 5."""

LOOK_AGAIN_S: Final = 0.02


def add_parser(commands: Commands) -> None:
    """Add the command."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "stop",
        help="end the daemon",
        description="End the daemon and wait until it is gone. Sessions go on; their next request starts it again.",
        epilog="Example: palimp stop",
    )
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Stop the daemon if one is there."""
    client = Client(env)
    if not client.is_daemon_there():
        print_line("null" if options.is_json else "No daemon is running.")
        return 0
    reply: Stopping = client.call(OPERATIONS["stop"], Stop(), Caller())
    wait_until_released(lock_path(env))
    if options.is_json:
        print_json(reply)
    else:
        print_line(f"Stopped the daemon (pid {reply.pid}).")
    return 0


def wait_until_released(lock: Path) -> None:
    """Wait until nobody owns the database.

    Raises:
        PalimpError: somebody still does after STOP_S.
    """
    ends_at = time.monotonic() + STOP_S
    while file_lock.is_held(lock):
        if time.monotonic() > ends_at:
            text = f"The daemon still owns its database after {STOP_S:g} s."
            raise PalimpError(ErrorCode.DEADLINE, text, "Look at its log, or kill it.")
        time.sleep(LOOK_AGAIN_S)
