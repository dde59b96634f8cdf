"""`palimp conversations`: how much is kept of conversations, and reading the sessions that clients keep."""

import argparse
from collections.abc import Mapping
from functools import partial
from typing import Final

from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.conversations import Conversations, ConversationStatus
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import counted, one_line
from palimp_shim.cli.arguments import Commands, add_json
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import day, print_json, print_line, print_remark
from palimp_shim.cli.progress import HowFar, wait_until_over
from palimp_shim.cli.tables import Column, is_terminal, print_table
from palimp_shim.transport.client import Client

STATUS_S: Final = 60.0
"""Seconds to wait for an answer: thousands of files are looked at."""


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "conversations",
        help=SUMMARIES["conversations"],
        description=(
            "Show how much palimp keeps of conversations (what was said in sessions, and git's commit messages), and"
            " which sessions clients keep on this machine. Recall answers with conversations where no memory certainly"
            " answers. --read reads the clients' sessions, each into its project and with secrets redacted. The daemon"
            " does that in the background: this command shows the progress, and interrupting it does not stop the"
            " reading. A second --read reads only what is new. `palimp config set conversations.keep off` stops palimp"
            " from keeping more."
        ),
        epilog="Example: palimp conversations --read",
    )
    parser.add_argument("--read", action="store_true", help="read the sessions that clients keep on this machine")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Ask the daemon, once or until it has read everything."""
    client = Client(env, deadline_s=STATUS_S)
    status = _status(client, read=options.read)
    if options.read:
        status = wait(client, status)
    if options.is_json:
        print_json(status)
    else:
        print_status(status)
    return 4 if status.problem else 0


def print_status(status: ConversationStatus) -> None:
    """Print what is kept, and what clients have."""
    if status.problem:
        print_line(f"PROBLEM  {status.problem}")
    kept = f"{status.turns:,} turns of {counted(status.sessions, 'session')}, {counted(status.commits, 'commit')}"
    print_line(f"kept: {kept}, {megabytes(status.size)}" + ("" if status.is_on else " (conversations.keep is off)"))
    if status.found:
        rows = [
            (each.client, f"{each.sessions:,}", megabytes(each.size), day(each.oldest_at) if each.oldest_at else "")
            for each in status.found
        ]
        if is_terminal():
            print_line("Clients keep on this machine, read or not:")
            columns = [Column("client", "cyan"), Column("sessions"), Column("size"), Column("since")]
            print_table(columns, rows)
        for row in rows if not is_terminal() else ():
            print_line("\t".join(row))
    for file in status.unread:
        print_remark(
            f"{one_line(file.path)}: {one_line(file.why) or counted(file.skipped, 'line') + ' could not be read'}"
        )
    if status.is_reading:
        print_remark(f"{status.read_files:,} of {counted(status.to_read, 'session')} read; it goes on.")


def megabytes(size: int) -> str:
    """Return *size* bytes in megabytes."""
    return f"{size / 1e6:,.1f} MB"


def wait(client: Client, status: ConversationStatus) -> ConversationStatus:
    """Return the status when everything is read."""
    return wait_until_over("reading", status, partial(_status, client), _how_far)


def _how_far(status: ConversationStatus) -> HowFar:
    return HowFar(
        is_over=not status.is_reading,
        done=status.read_bytes,
        total=status.bytes_to_read,
        said=f"{status.read_files:,} of {counted(status.to_read, 'session')}",
    )


def _status(client: Client, *, read: bool = False) -> ConversationStatus:
    return client.call(OPERATIONS["conversations"], Conversations(read=read), Caller())
