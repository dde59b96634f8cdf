"""`palimp conversations`: report stored ones, and read clients' sessions."""

from typing import Final, NamedTuple

from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.conversation_messages import Conversations, ConversationStatus
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import count_of, one_line
from palimp_shim.cli.command import EXIT_FAILED, Invocation, command, flag
from palimp_shim.cli.output import day, print_json, print_line, print_remark
from palimp_shim.cli.progress import HowFar, wait_until_over
from palimp_shim.cli.tables import Column, is_terminal, print_table
from palimp_shim.transport.daemon_client import Client

STATUS_S: Final = 60.0
"""Seconds to wait: thousands of files are looked at."""

AGAIN: Final = "`palimp conversations --read` reads on; `palimp doctor` says what is wrong."


@command(
    "conversations",
    "Show how much palimp keeps of conversations (what was said in sessions, and git's commit messages), and which"
    " sessions clients keep on this machine. Recall answers with conversations where no memory certainly answers."
    " --read reads the clients' sessions, each into its project and with secrets redacted. The daemon does that in the"
    " background: this command shows the progress, and interrupting it does not stop the reading. A second --read reads"
    " only what is new. `palimp config set conversations.keep off` stops palimp from keeping more.",
    flag("--read", "read the sessions that clients keep on this machine"),
    example="palimp conversations --read",
    scope=False,
)
def run(typed: Invocation) -> int:
    """Ask once, or until everything is read."""
    client = Client(typed.env, deadline_s=STATUS_S)
    reading = read_all(client) if typed.options.read else None
    status = reading.status if reading else _status(client)
    if typed.is_json:
        print_json(status)
    else:
        if reading:
            print_read(reading)
        print_status(status)
    if reading and reading.left:
        print_remark(left_over(reading), AGAIN)
    return EXIT_FAILED if status.problem or (reading and reading.left) else 0


class Reading(NamedTuple):
    """A result of reading."""

    status: ConversationStatus
    read_files: int
    new_turns: int
    left: int


def read_all(client: Client) -> Reading:
    """Read everything, and wait; once more if the daemon ended.

    Raises:
        PalimpError: conversations are not kept, or the daemon does not answer.
    """
    first = _read(client)
    if not first.left:
        return first
    rest = _read(client)
    return Reading(rest.status, first.read_files + rest.read_files, first.new_turns + rest.new_turns, rest.left)


def _read(client: Client) -> Reading:
    last = _status(client, read=True)

    def look() -> ConversationStatus:
        nonlocal last
        status = _status(client)
        last = status if status.to_read else last
        return status

    status = wait_until_over("reading", last, look, _how_far)
    return Reading(status, last.read_files, last.new_turns, max(0, last.to_read - last.read_files))


def left_over(reading: Reading) -> str:
    """Return a sentence on unread files."""
    return f"{count_of(reading.left, 'session')} could not be read: the daemon stopped reading them."


def print_status(status: ConversationStatus) -> None:
    """Print stored and clients' counts, and remedies."""
    if status.problem:
        print_line(f"PROBLEM  {status.problem}")
    kept = f"{count_of(status.turns, 'turn')} of {count_of(status.sessions, 'session')}"
    kept += f", {count_of(status.commits, 'commit')}, {megabytes(status.size)}"
    print_line(f"kept: {kept}" + ("" if status.is_on else " (conversations.keep is off)"))
    _print_found(status)
    for file in status.unread:
        print_remark(
            f"{one_line(file.path)}: {one_line(file.why) or count_of(file.skipped, 'line') + ' could not be read'}"
        )
    if status.is_reading:
        print_remark(f"{status.read_files:,} of {count_of(status.to_read, 'session')} read; it goes on.")
    elif status.is_on and status.found and not status.files:
        print_remark("No session was read yet.", "`palimp conversations --read` reads them.")
    if status.is_on and not status.commits:
        print_remark("No commit is kept yet.", "`palimp changes import` reads git's messages.")


def _print_found(status: ConversationStatus) -> None:
    if not status.found:
        print_line("found: no session that a client keeps on this machine")
    elif is_terminal():
        print_line("Clients keep on this machine, read or not:")
        columns = [Column("client", "cyan"), Column("sessions"), Column("size"), Column("oldest file")]
        print_table(
            columns,
            [
                # The day on which it was last written: its session may have begun before.
                (each.client, f"{each.sessions:,}", megabytes(each.size), day(each.oldest_at) if each.oldest_at else "")
                for each in status.found
            ],
        )
    else:
        for each in status.found:
            oldest = f", oldest file of {day(each.oldest_at)}" if each.oldest_at else ""
            print_line(f"found: {each.client}, {count_of(each.sessions, 'session')}, {megabytes(each.size)}{oldest}")


def print_read(reading: Reading) -> None:
    """Print the number of new turns."""
    files = count_of(reading.read_files, "session")
    if reading.new_turns:
        print_line(f"read: {count_of(reading.new_turns, 'new turn')} of {files}")
    elif reading.read_files:
        print_line(f"read: no new turn in {files}")
    elif not reading.left and reading.status.found:
        print_line("read: nothing new; every session was read before")


def megabytes(size: int) -> str:
    """Return *size* bytes in megabytes."""
    return f"{size / 1e6:,.1f} MB"


def _how_far(status: ConversationStatus) -> HowFar:
    return HowFar(
        is_over=not status.is_reading,
        done=status.read_bytes,
        total=status.bytes_to_read,
        said=f"{status.read_files:,} of {count_of(status.to_read, 'session')}",
    )


def _status(client: Client, *, read: bool = False) -> ConversationStatus:
    return client.call(OPERATIONS["conversations"], Conversations(read=read), Caller())
