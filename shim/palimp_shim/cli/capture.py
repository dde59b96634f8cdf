"""`palimp capture`: extract memories from a conversation's transcript."""

import argparse
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import CAPTURE_CHARACTERS_MAX
from palimp_protocol.messages.sessions import Capture, Captured
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import counted, one_line
from palimp_shim.cli.arguments import Commands, add_json, add_scope, caller_from
from palimp_shim.cli.commands import SUMMARIES
from palimp_shim.cli.output import print_json, print_line, print_remark
from palimp_shim.cli.progress import WaitingBar
from palimp_shim.cli.tables import Column, is_terminal, print_table
from palimp_shim.transport.client import Client

READ_BYTES_MAX: Final = 4 * CAPTURE_CHARACTERS_MAX
"""UTF-8 takes four bytes for a character at most."""

CAPTURE_S: Final = 600.0
"""Seconds to wait: a program that the user named (`capture.command`) may take a minute for a part of a transcript."""


def add_parser(commands: Commands) -> None:
    """Add the command and its options."""
    parser: argparse.ArgumentParser = commands.add_parser(
        "capture",
        help=SUMMARIES["capture"],
        description=(
            "Extract decisions, preferences, corrections and fixes from a conversation, by rules, and save what is new"
            " as proposals (see `palimp review`): the transcript of a client that `palimp conversations` knows, or text"
            " with `User:` and `Assistant:` at the beginnings of lines. Without a file, the transcript of the session"
            " that this runs in. Exits with 1 when nothing was found."
        ),
        epilog="Example: palimp capture ~/notes/call.txt; pbpaste | palimp capture -",
    )
    parser.add_argument("file", nargs="?", help="the conversation; - reads stdin")
    add_scope(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, env: Mapping[str, str]) -> int:
    """Capture, and print what was made."""
    request = Capture() if options.file is None else Capture(text=_conversation(options.file))
    with WaitingBar("looking through it"):
        client = Client(env, deadline_s=CAPTURE_S)
        reply: Captured = client.call(OPERATIONS["capture"], request, caller_from(options, env))
    if options.is_json:
        print_json(reply)
    else:
        rows = [(memory.id, memory.kind, one_line(memory.title)) for memory in reply.memories]
        if is_terminal():
            print_table([Column("id", "cyan"), Column("kind", "magenta"), Column("title", is_text=True)], rows)
        for row in rows if not is_terminal() else ():
            print_line("\t".join(row))
        known = f", {reply.known} known already" if reply.known else ""
        are_proposals = any(memory.is_proposal for memory in reply.memories)
        print_remark(
            f"{len(reply.memories)} captured from {counted(reply.messages, 'message')}{known}.",
            "They are proposals until you confirm them: palimp review." if are_proposals else "",
        )
    return 0 if reply.memories else 1


def _end_of(file: Path) -> bytes:
    """Return the last READ_BYTES_MAX of *file*: what it is may be a pipe, and what it has may be anything."""
    with file.open("rb") as stream:
        if stream.seekable():
            stream.seek(max(0, os.fstat(stream.fileno()).st_size - READ_BYTES_MAX))
        return stream.read(READ_BYTES_MAX)


def _conversation(file: str) -> str:
    """Return the end of *file*, as much of it as can be looked at.

    Raises:
        PalimpError: it cannot be read, or nothing is in it.
    """
    try:
        data = sys.stdin.buffer.read() if file == "-" else _end_of(Path(file))
    except OSError as error:
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{file} cannot be read: {error.strerror}.") from None
    text = data.decode("utf-8", "replace").replace("\0", "")
    if not text.strip():
        raise PalimpError(ErrorCode.BAD_REQUEST, "There is nothing in it.", "Give a conversation.")
    if len(text) > CAPTURE_CHARACTERS_MAX:
        text = text[-CAPTURE_CHARACTERS_MAX:].partition("\n")[2]
        print_remark(f"only the last {len(text):,} characters are looked at.")
    return text
