"""Import our own exports: a line with the format, then a memory per line."""

import re
from pathlib import Path
from typing import Final, NamedTuple

from palimp_neighbours.transfer.daemon.record import LeftOut
from palimp_neighbours.transfer.transfer_messages import PortableMemory
from palimp_protocol.decoders import decoder_of
from palimp_protocol.env.plain_files import open_plain
from palimp_protocol.limits import (
    PATH_CHARACTERS_MAX,
    TAG_CHARACTERS_MAX,
    TAGS_MAX,
    TEXT_CHARACTERS_MAX,
    TITLE_CHARACTERS_MAX,
    WHY_CHARACTERS_MAX,
)
from palimp_protocol.surrogates import mended_json

EXPORT_KEY: Final = b'"palimp_export"'

LINE_BYTES_MAX: Final = 1024 * 1024
"""Bytes of a line: a memory of 10,000 characters, escaped, is a tenth of it. A page ends behind as many."""

LATEST_MS: Final = 253_402_214_400_000
"""Last day of the year 9999, in Unix milliseconds: later ones have no date."""

LONGEST: Final = {
    "content": TEXT_CHARACTERS_MAX,
    "title": 5 * TITLE_CHARACTERS_MAX,
    "tags": 2 * TAGS_MAX * TAG_CHARACTERS_MAX,
    "quote": TEXT_CHARACTERS_MAX,
    "source": 1_000,
    "session": 200,
    "client": 100,
    "project": PATH_CHARACTERS_MAX,
    "project_name": PATH_CHARACTERS_MAX,
}
"""Characters of each at most; a redacted secret may have lengthened one."""

LINKS_MAX: Final = 1_000
"""Links of one memory, more than it ever replaces."""

SAID_CHARACTERS_MAX: Final = 5 * WHY_CHARACTERS_MAX
"""Characters of a link's reason, which a redacted secret may have lengthened."""

FIRST_LINE_BYTES_MAX: Final = 1_000
"""Bytes of the line that names the format."""

BOM: Final = b"\xef\xbb\xbf"

_ID: Final = re.compile(r"m[0-9a-hjkmnp-tv-z]{11}")


class OwnBatch(NamedTuple):
    """Some memories of an export."""

    memories: list[PortableMemory]
    left: list[LeftOut]
    next: int | None
    done: int
    total: int


def recognises(path: Path) -> bool:
    """Tell whether *path* begins as our exports do, after a byte order mark.

    Raises:
        OSError: it cannot be read.
    """
    with open_plain(path) as stream:
        line = stream.readline(FIRST_LINE_BYTES_MAX).removeprefix(BOM).lstrip()
    return line.startswith(b"{") and EXPORT_KEY in line


def batch_of(path: Path, place: int, limit: int) -> OwnBatch:
    """Return *limit* memories from byte *place* on.

    Raises:
        OSError: the file cannot be read.
    """
    memories: list[PortableMemory] = []
    left: list[LeftOut] = []
    total = path.stat().st_size
    with open_plain(path) as stream:
        stream.seek(place)
        for _ in range(limit):
            at = stream.tell()
            if at - place > LINE_BYTES_MAX:
                break
            line = stream.readline(LINE_BYTES_MAX + 1)
            if not line:
                break
            if len(line) > LINE_BYTES_MAX:
                left.append(LeftOut(f"byte {at}", f"the line has more than {LINE_BYTES_MAX:,} bytes"))
                while line and not line.endswith(b"\n"):
                    line = stream.readline(LINE_BYTES_MAX)
                continue
            if not line.strip() or (at == 0 and EXPORT_KEY in line):
                continue
            try:
                memories.append(_check(decoder_of(PortableMemory).decode(mended_json(line))))
            except (ValueError, RecursionError) as error:
                left.append(LeftOut(f"byte {at}", str(error)))
        end = stream.tell()
    return OwnBatch(memories, left, end if end < total else None, end, total)


def _check(memory: PortableMemory) -> PortableMemory:
    """Check *memory*, which anybody may have written."""
    if not _ID.fullmatch(memory.id):
        raise ValueError(f"{memory.id[:40]!r} is no id of a memory")
    if not memory.content.strip():
        raise ValueError(f"the text of {memory.id} is blank")
    if memory.project and not memory.project.startswith("/"):
        raise ValueError(f"the project of {memory.id} is no folder")
    for name, most in LONGEST.items():
        if len(" ".join(memory.tags) if name == "tags" else getattr(memory, name)) > most:
            raise ValueError(f"the {name} of {memory.id} is longer than {most:,} characters")
    if len(memory.links) > LINKS_MAX or any(len(link.said) > SAID_CHARACTERS_MAX for link in memory.links):
        raise ValueError(
            f"more is said of {memory.id} than {LINKS_MAX} links of {SAID_CHARACTERS_MAX:,} characters hold"
        )
    times = (
        memory.created_at,
        memory.updated_at,
        memory.purged_at,
        memory.pinned_at,
        memory.proposed_at,
        memory.muted_at,
        *(each.at for each in memory.links),
    )
    if not all(0 <= (at or 0) <= LATEST_MS for at in times):
        raise ValueError(f"a time of {memory.id} is not of the years 1970 to 9999")
    return memory
