"""`palimp capture`: extract memories from a transcript."""

import errno
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final

from palimp_protocol.env.project import path_as_text
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.session_messages import Captured, CaptureFile
from palimp_protocol.text import count_of, one_line
from palimp_shim.cli.arguments import is_open_descriptor
from palimp_shim.cli.command import Invocation, argument, command, flag
from palimp_shim.cli.output import print_line, print_notes, print_remark, print_rows
from palimp_shim.cli.tables import Column, is_terminal

CAPTURE_S: Final = 600.0
"""Seconds to wait: the user's program (`capture.command`) may take a minute per part of a transcript."""


@command(
    "capture",
    "Extract decisions, preferences, corrections and fixes from a conversation, by rules, and save what is new as"
    " proposals (see `palimp review`): the transcript of a client that `palimp conversations` knows, or text with"
    " `User:` and `Assistant:` at the beginnings of lines, or a chat as it was exported. Of a long one the end is"
    " looked at. Without a file, the transcript of the session that this runs in. On a terminal a long one is looked"
    " through in the background, unless --wait is given, and `palimp sessions` says what came of it. Exits with 1 when"
    " nothing was found.",
    argument("file", sets="path", nargs="?", help="the conversation; - reads stdin"),
    flag("--wait", "wait for a long one, too, as in a pipe and with --json", sets="waits"),
    asks=("capture_file",),
    example="palimp capture ~/notes/call.txt; pbpaste | palimp capture -",
)
def run(typed: Invocation) -> int:
    """Capture, and print the memories."""
    waits = typed.options.wait or typed.is_json or not is_terminal()
    with _request(typed.options.file, waits=waits) as request:
        reply: Captured = typed.answer(request, within_s=CAPTURE_S, bar="looking through it")
    if not typed.is_json:
        _print(reply)
    return 0 if reply.memories or reply.is_started else 1


def _print(reply: Captured) -> None:
    messages = count_of(reply.messages, "message")
    if reply.is_started:
        of = f" of {messages}" if reply.messages else ""
        print_line(f"Started: the look through a conversation{of} goes on in the background.")
        review = "`palimp sessions` says what came of it, and `palimp review` shows it; --wait waits for it."
        print_notes(*reply.notes, review)
        return
    rows = [(memory.id, memory.kind, one_line(memory.title)) for memory in reply.memories]
    print_rows([Column("id", "cyan"), Column("kind", "magenta"), Column("title", is_text=True)], rows)
    known = f", {reply.known} known already" if reply.known else ""
    are_proposals = any(memory.is_proposal for memory in reply.memories)
    print_remark(
        f"{len(reply.memories)} captured from {messages}{known}.",
        "They are proposals until you confirm them: palimp review." if are_proposals else "",
    )
    print_notes(*reply.notes)


@contextmanager
def _request(given: str | None, *, waits: bool) -> Generator[CaptureFile, None, None]:
    if given is None:
        yield CaptureFile(waits=waits)
        return
    try:
        copy = None if _can_be_named(given) else _copy(given)
    except OSError as error:
        hint = "`palimp capture -` reads stdin." if error.errno == errno.EINVAL else ""
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{given} cannot be read: {error.strerror}.", hint) from None
    if copy is None:
        path = os.path.abspath(given)  # noqa: PTH100  a link's own name tells whose transcript it is
        yield CaptureFile(path=path, waits=waits)
        return
    with copy:
        if not copy.tell():
            raise PalimpError(ErrorCode.BAD_REQUEST, "There is nothing in it.", "Give a conversation.")
        yield CaptureFile(path=copy.name, waits=True)


def _can_be_named(given: str) -> bool:
    if given == "-" or is_open_descriptor(given):
        return False
    state = Path(given).stat()
    if not stat.S_ISREG(state.st_mode):
        raise OSError(errno.EINVAL, "it is no plain file")
    if not state.st_size:
        return False
    with _open(given):
        pass
    return path_as_text(given) == given


def _copy(given: str) -> IO[bytes]:
    copy = tempfile.NamedTemporaryFile(prefix="palimp-capture-")  # noqa: SIM115  whoever asked closes it
    with sys.stdin.buffer if given == "-" else _open(given) as stream:
        shutil.copyfileobj(stream, copy)
    copy.flush()
    return copy


def _open(given: str) -> IO[bytes]:
    descriptor = os.open(given, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    os.set_blocking(descriptor, True)
    return os.fdopen(descriptor, "rb")
