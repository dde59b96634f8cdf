"""Read a JSON Lines file on from a `Place`, a slice at a time.

*head* has the first bytes, to know the file again, and how many; *memo* is the reader's.
"""

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import IO, Final, NamedTuple, TypeVar

from palimp_clients.transcripts.calls import Calls
from palimp_clients.transcripts.json_values import Fields, LineDecoder, entries_of, first_texts
from palimp_clients.transcripts.turn import SAID, Piece, Redact, SessionNews, Wanted, nothing_new, turns_of
from palimp_clients.transcripts.whole_lines import CHUNK_BYTES, HEAD_BYTES, MESSAGE_LINE_BYTES_MAX, Place, WholeLines
from palimp_protocol.env.plain_files import open_plain

OPENING_BYTES: Final = 8 * MESSAGE_LINE_BYTES_MAX
"""Bytes at the beginning searched for session id and folder: a first message may be all pictures."""

OPENING_PART_BYTES: Final = 16 * 1024
"""Bytes of it read first: mostly two lines suffice. Each further part is twice as large."""

OPENING_LINES: Final = 64
"""Lines read of the beginning."""

FOREIGN_LINES_MIN: Final = 16
"""First lines, one of which must surely be the client's: few others precede a message."""

FOREIGN: Final = ValueError("none of its first lines is as its client writes them, as far as palimp knows")

BEFORE_BYTES: Final = 256 * 1024
"""Bytes before a slice read again: a turn with a few long tool results."""

BUFFER_BYTES: Final = 256 * 1024
"""Bytes read at once: with Python's 8 kB, long lines take twice the time."""


T = TypeVar("T")


class SliceContent(NamedTuple):
    """A client's findings in a slice."""

    pieces: list[Piece]
    key: str
    folder: str
    skipped: int = 0
    memo: str = ""
    """State for the next slice: letters, digits, `-` and `_`."""
    taken_back: Sequence[Piece] = ()
    """Pieces from before the slice that it withdraws."""


class Lines(NamedTuple):
    """A client's way to read lines."""

    read: "Callable[[Slice], SliceContent]"
    is_line: Callable[[Fields], bool]
    """Tells whether a line is surely the client's; it also writes others."""


class Slice(NamedTuple):
    """The input of a client's reader."""

    path: str
    opening: Iterable[bytes]
    """The file's first lines, for any slice; read on demand."""
    lines: Iterator[bytes]
    """Whole lines, each with its end."""
    memo: str
    has_files: bool = False
    before: Sequence[bytes] = ()
    """Last whole lines before the slice, with questions and calls that it may answer."""


def pieces_of_lines(
    given: Slice, kind: type[T], pieces_of: Callable[[bytes, LineDecoder[T], Calls], Iterable[Piece]]
) -> tuple[list[Piece], int]:
    """Return the pieces of *given*'s lines, each of a *kind*, and the number skipped.

    Calls begun before the slice are known.
    """
    decoded, calls = LineDecoder(kind), Calls(has_files=given.has_files)
    for line in given.before:
        for _ in pieces_of(line, LineDecoder(kind), calls):
            pass
    return [piece for line in given.lines for piece in pieces_of(line, decoded, calls)], decoded.skipped


def news_from_lines(of_client: Lines, path: str, place: Place, redact: Redact, wanted: Wanted = SAID) -> SessionNews:
    """Return the *wanted* news of *path* since *place*.

    A shorter file, or one with another head, is read anew. Half a last line waits, and so does a short file not yet
    understood.
    """
    try:
        with open_plain(Path(path), buffer_bytes=BUFFER_BYTES) as stream:
            start, memo = _place_in(stream, place)
            stream.seek(start)
            lines = _ReadableLines(stream, start)
            opening = Opening(stream.fileno())
            before = _lines_before(stream.fileno(), start)
            found = of_client.read(Slice(path, opening, iter(lines), memo, wanted.has_files, before))
            is_silent = start == 0 and not (found.pieces or found.skipped or lines.too_long)
            if is_silent and (strange := _strange(opening, of_client.is_line)):
                why = unreadable(path, FOREIGN) if strange >= FOREIGN_LINES_MIN else ""
                return nothing_new(found.key, place, why)
            mark = _mark(stream, min(HEAD_BYTES, lines.end))
            return SessionNews(
                turns_of(found.pieces, redact, wanted),
                Place(lines.end, f"{mark}.{found.memo}" if found.memo else mark) if lines.end else Place(),
                lines.is_end,
                found.key,
                found.folder,
                found.skipped + lines.too_long,
                unreadable(path, lines.error) if lines.error else "",
                is_anew=start == 0,
                too_long=lines.too_long,
                taken_back=turns_of(found.taken_back, redact, wanted),
            )
    except (OSError, ValueError) as error:
        return nothing_new(Path(path).stem, place, unreadable(path, error))


def pieces_before(path: str, place: Place | None, most: int, read: Callable[[Slice], SliceContent]) -> list[Piece]:
    """Return pieces of *most* bytes before *place*, or the end; nothing if unreadable."""
    try:
        with open_plain(Path(path), buffer_bytes=BUFFER_BYTES) as stream:
            end = stream.seek(0, os.SEEK_END) if place is None else place.offset
            start = max(0, end - most)
            stream.seek(start)
            lines = stream.read(end - start).splitlines(keepends=True)
            return read(Slice(path, Opening(stream.fileno()), iter(lines), "")).pieces
    except (OSError, ValueError):
        return []


def _lines_before(descriptor: int, start: int) -> list[bytes]:
    place = max(0, start - BEFORE_BYTES)
    lines = os.pread(descriptor, start - place, place).splitlines(keepends=True)
    return lines[1:] if place else lines


def _strange(opening: Iterable[bytes], is_line: Callable[[Fields], bool]) -> int:
    lines = [line for line in opening if line.strip()]
    return 0 if any(map(is_line, entries_of(lines))) else len(lines)


def _place_in(stream: IO[bytes], place: Place) -> tuple[int, str]:
    mark, _, memo = place.head.partition(".")
    is_known = 0 < place.offset <= stream.seek(0, os.SEEK_END) and mark == _mark(stream, _mark_bytes(mark))
    return (place.offset, memo) if is_known else (0, "")


class _ReadableLines:
    """`WholeLines` up to a disk *error*."""

    def __init__(self, stream: IO[bytes], start: int) -> None:
        self._lines = WholeLines(stream, start)
        self.error: OSError | None = None

    def __iter__(self) -> Iterator[bytes]:
        try:
            yield from self._lines
        except OSError as error:
            self.error = error

    @property
    def end(self) -> int:
        return self._lines.end

    @property
    def is_end(self) -> bool:
        return self._lines.is_end or self.error is not None

    @property
    def too_long(self) -> int:
        return self._lines.too_long


def first_texts_of(path: str, *names: str) -> list[str]:
    """Return each field's first text in *path*'s opening.

    Raises:
        OSError: it cannot be read.
        ValueError: its path has a NUL.
    """
    with open_plain(Path(path)) as stream:
        return first_texts(Opening(stream.fileno()), *names)


class Opening:
    """A file's first whole lines, OPENING_LINES and OPENING_BYTES at most; skips over-long ones."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def __iter__(self) -> Iterator[bytes]:
        return islice(self._lines(), OPENING_LINES)

    def _lines(self) -> Iterator[bytes]:
        line = bytearray()
        for data in self._parts():
            *whole, rest = data.split(b"\n")
            for end in whole:
                line += end
                if len(line) <= MESSAGE_LINE_BYTES_MAX:
                    yield bytes(line)
                line.clear()
            if len(line) <= MESSAGE_LINE_BYTES_MAX:
                line += rest

    def _parts(self) -> Iterator[bytes]:
        place, size = 0, OPENING_PART_BYTES
        while place < OPENING_BYTES and (data := os.pread(self._descriptor, size, place)):
            yield data
            place += len(data)
            size = min(2 * size, CHUNK_BYTES)


def _mark(stream: IO[bytes], count: int) -> str:
    stream.seek(0)
    return f"{count}-{hashlib.sha256(stream.read(count)).hexdigest()[:16]}"


def _mark_bytes(mark: str) -> int:
    count = mark.partition("-")[0]
    return min(HEAD_BYTES, int(count)) if count.isdecimal() and count.isascii() else 0


def unreadable(path: str, error: Exception) -> str:
    """Return a sentence on why *path* cannot be read."""
    reason = getattr(error, "strerror", None) or str(error)
    return f"{path!r} cannot be read: {reason}."
