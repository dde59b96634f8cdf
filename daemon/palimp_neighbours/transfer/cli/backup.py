"""`palimp backup`: copy the database in use."""

from pathlib import Path

from palimp_neighbours.transfer.transfer_messages import BackedUp
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.text import count_of
from palimp_shim.cli.command import Invocation, argument, command
from palimp_shim.cli.output import print_line

BACKUP_S = 3_600.0
"""Seconds to wait: a large database under load takes minutes."""


@command(
    "backup",
    "Copy the database to a new file while it is in use, and open the copy to check it. To go back to it: `palimp"
    " stop`, then put it in the place of the database that `palimp health` names.",
    argument("path", help="the new file; its folder is made, too"),
    example="palimp backup ~/backups/palimp-$(date +%F).db",
    scope=False,
)
def run(typed: Invocation) -> None:
    """Copy it, and print the copy's counts."""
    path = Path(typed.options.path).expanduser().absolute()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        text = f"A backup cannot be written into {path.parent}: {error.strerror}."
        raise PalimpError(ErrorCode.BAD_REQUEST, text, "Name a file in another folder.") from error
    reply: BackedUp = typed.answer(typed.request(path=str(path)), within_s=BACKUP_S, bar="copying")
    if not typed.is_json:
        memories = count_of(reply.memories, "memory")
        print_line(f"{reply.path}: {reply.bytes / 1e6:,.1f} MB, {memories}; opened and checked.")
