"""`palimp backup`: copy the database while it is in use."""

import argparse
from collections.abc import Mapping
from pathlib import Path

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.transfer import BackedUp, Backup
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import counted
from palimp_shim.cli.arguments import Commands, add_json
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import print_json, print_line
from palimp_shim.cli.progress import WaitingBar
from palimp_shim.transport.client import Client

BACKUP_S = 3_600.0
"""Seconds to wait: a large database under load takes minutes."""


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "backup",
        help=SUMMARIES["backup"],
        description=(
            "Copy the database to a new file while it is in use, and open the copy to check it. To go back to it:"
            " `palimp stop`, then put it in the place of the database that `palimp health` names."
        ),
        epilog="Example: palimp backup ~/backups/palimp-$(date +%F).db",
    )
    parser.add_argument("path", help="the new file; its folder is made, too")
    add_json(parser)
    parser.set_defaults(run=run)


def _make_folder(folder: Path) -> None:
    """Make *folder*, for its owner alone.

    Raises:
        PalimpError: it cannot be made.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        text = f"A backup cannot be written into {folder}: {error.strerror}."
        raise PalimpError(ErrorCode.BAD_REQUEST, text, "Name a file in another folder.") from error


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Ask the daemon and say what the copy holds."""
    client = Client(env, deadline_s=BACKUP_S)
    path = Path(options.path).expanduser().absolute()
    _make_folder(path.parent)
    request = Backup(path=str(path))
    with WaitingBar("copying"):
        reply: BackedUp = client.call(OPERATIONS["backup"], request, Caller())
    if options.is_json:
        print_json(reply)
    else:
        memories = counted(reply.memories, "memory")
        print_line(f"{reply.path}: {reply.bytes / 1e6:,.1f} MB, {memories}; opened and checked.")
    return 0
