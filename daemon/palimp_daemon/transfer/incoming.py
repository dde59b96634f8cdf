"""A memory that comes from elsewhere, and texts that are too long for one."""

from collections.abc import Iterator
from typing import NamedTuple

from palimp_daemon.docs.sections import sections_of
from palimp_protocol.limits import TEXT_CHARACTERS_MAX


class Incoming(NamedTuple):
    """A memory that comes from elsewhere. Times are Unix milliseconds."""

    origin: str
    """What it is called there, for good: what is known by it is not imported again."""
    title: str
    content: str
    kind: str = "note"
    tags: tuple[str, ...] = ()
    created_at: int | None = None
    source: str = "import"
    session: str = ""
    project_name: str = ""
    """What its project is called there; empty: it has none."""
    id: str = ""
    """The id that it has here, if it was exported from here."""


class Batch(NamedTuple):
    """Some records of a file."""

    records: list[Incoming]
    skipped: list[str]
    next: int | None
    """Where to go on; None: this was the end."""
    done: int
    total: int


def in_pieces(text: str) -> Iterator[str]:
    """Yield *text* whole, or, when it is too long for a memory, in pieces between sections, paragraphs or lines."""
    piece = ""
    for part in _parts(text):
        if piece and len(piece) + len(part) > TEXT_CHARACTERS_MAX:
            yield piece.strip()
            piece = ""
        piece += part
    if piece.strip():
        yield piece.strip()


def _parts(text: str) -> Iterator[str]:
    """Yield *text* in parts of which each fits."""
    if len(text) <= TEXT_CHARACTERS_MAX:
        yield text
        return
    for section in sections_of(text):
        if len(section.text) <= TEXT_CHARACTERS_MAX:
            yield section.text
            continue
        for line in section.text.splitlines(keepends=True):
            for start in range(0, len(line), TEXT_CHARACTERS_MAX):
                yield line[start : start + TEXT_CHARACTERS_MAX]
