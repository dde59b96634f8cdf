"""Our own exports: a line that says what it is, then a memory in each line."""

import re
from pathlib import Path
from typing import Final, NamedTuple

import msgspec

from palimp_daemon.plain_files import open_plain
from palimp_protocol.limits import TEXT_CHARACTERS_MAX
from palimp_protocol.transfer import PortableMemory

LINE_BYTES_MAX: Final = 1024 * 1024
"""One line: a memory of 10,000 characters, escaped, is a tenth of it."""

_ID: Final = re.compile(r"m[0-9a-hjkmnp-tv-z]{11}")


class OwnBatch(NamedTuple):
    """Some memories of an export."""

    memories: list[PortableMemory]
    skipped: list[str]
    next: int | None
    done: int
    total: int


def batch_of(path: Path, place: int, limit: int) -> OwnBatch:
    """Return *limit* memories from byte *place* on.

    Raises:
        OSError: the file cannot be read.
    """
    memories: list[PortableMemory] = []
    skipped: list[str] = []
    total = path.stat().st_size
    with open_plain(path) as stream:
        stream.seek(place)
        for _ in range(limit):
            at = stream.tell()
            line = stream.readline(LINE_BYTES_MAX + 1)
            if not line:
                break
            if len(line) > LINE_BYTES_MAX:
                skipped.append(f"byte {at}: the line has more than {LINE_BYTES_MAX:,} bytes.")
                while line and not line.endswith(b"\n"):
                    line = stream.readline(LINE_BYTES_MAX)
                continue
            if not line.strip() or (at == 0 and b"palimp_export" in line):
                continue
            try:
                memories.append(_checked(msgspec.json.decode(line, type=PortableMemory)))
            except (ValueError, RecursionError) as error:
                skipped.append(f"byte {at}: {error}.")
        end = stream.tell()
    return OwnBatch(memories, skipped, end if end < total else None, end, total)


def _checked(memory: PortableMemory) -> PortableMemory:
    if not _ID.fullmatch(memory.id):
        raise ValueError(f"{memory.id!r} is no id of a memory")
    if not memory.content.strip() or len(memory.content) > TEXT_CHARACTERS_MAX:
        raise ValueError(f"the text of {memory.id} is blank, or longer than {TEXT_CHARACTERS_MAX:,} characters")
    return memory
