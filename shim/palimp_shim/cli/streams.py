"""A command's stdin, stdout and stderr: failed writes raise `OutputError`, which no library catches.

The standard library reports them in tracebacks at odd moments, argparse never. Text that stderr refuses is lost.
"""

import io
import os
import select
import sys
from typing import Any, Final

_FLAGS: Final = {0: os.O_RDONLY, 1: os.O_RDONLY, 2: os.O_WRONLY}
"""Modes for reopening closed streams on /dev/null. Writes to stdout still fail then."""


class OutputError(Exception):
    """Stdout cannot be written."""

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.is_reader_gone = isinstance(error, BrokenPipeError)
        self.why = error.strerror or str(error)


class _Checked(io.FileIO):
    def write(self, data: Any, /) -> int:
        try:
            while (written := super().write(data)) is None:
                select.select([], [self.fileno()], [])
        except OSError as error:
            raise OutputError(error) from None
        return written


class _Forgiving(io.FileIO):
    def write(self, data: Any, /) -> int:
        try:
            return super().write(data) or len(data)
        except OSError:
            return len(data)


def prepare() -> None:
    """Open closed streams and replace all three; input is UTF-8."""
    if sys.stdout is not sys.__stdout__:
        return  # somebody else's, in a test
    for descriptor, flags in _FLAGS.items():
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, flags)  # it gets the lowest number that is free, which is this one
    encodings = [getattr(stream, "encoding", "utf-8") for stream in (sys.stdout, sys.stderr)]
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0, closefd=False)), encoding="utf-8", errors="strict")
    out = io.BufferedWriter(_Checked(1, "wb", closefd=False))
    # Of what the terminal cannot show the numbers are written, as on stderr.
    sys.stdout = io.TextIOWrapper(out, encodings[0], errors="backslashreplace", line_buffering=out.isatty())
    err = io.BufferedWriter(_Forgiving(2, "wb", closefd=False))
    sys.stderr = io.TextIOWrapper(err, encodings[1], errors="backslashreplace", line_buffering=True, write_through=True)


def give_up_stdout() -> None:
    """Send the rest of stdout nowhere, for a quiet end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
