"""Define other sources' notes, and memories made of them.

A long note becomes several memories. A record left out is reported with its place and a countable reason.
"""

import hashlib
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple, cast, get_args

from palimp_daemon.text.markdown import sections_of
from palimp_protocol.limits import (
    IMPORT_NOTE_CHARACTERS_MAX,
    TAG_CHARACTERS_MAX,
    TAGS_MAX,
    TEXT_CHARACTERS_MAX,
    TITLE_CHARACTERS_MAX,
)
from palimp_protocol.messages.memory_messages import MemoryKind
from palimp_protocol.surrogates import mend_surrogates

NO_TEXT: Final = "it has no text"
DELETED: Final = "deleted there"
ARCHIVED: Final = "archived there"
REPLACED: Final = "replaced there by another one"

KINDS: Final[Mapping[str, str]] = {
    **{kind: kind for kind in get_args(MemoryKind)},
    "adr": "decision",
    "design": "architecture",
    "discovery": "finding",
    "insight": "finding",
    "learning": "finding",
    "lesson": "finding",
    "gotcha": "finding",
    "bug": "fix",
    "bugfix": "fix",
    "bug_fix": "fix",
    "solution": "fix",
    "convention": "preference",
    "feedback": "preference",
    "rule": "preference",
    "session": "summary",
    "session_summary": "summary",
}
"""Other programs' kinds of memories, and ours. Others are notes."""

TEXT_KEYS: Final = ("text", "content", "observation", "memory", "value", "contents", "description", "name")
"""Keys of the text in an object that stands for one."""

TELLING_DEPTH_MAX: Final = 8
"""Levels of an object that are put into words."""

SECRET_CHARACTERS_MAX: Final = 1024
"""Characters read behind a cut title or tag, so that a secret there is recognised."""

SECONDS_MAX: Final = 10**11
"""Smaller times are seconds (to the year 5138), larger ones milliseconds (from 1973)."""


class LeftOut(NamedTuple):
    """A record left out: place (empty: several), reason, number."""

    place: str
    reason: str
    number: int = 1

    def __str__(self) -> str:
        return f"{self.place}: {self.reason}." if self.place else f"{self.number:,} {self.reason}."


class NotTakenError(ValueError):
    """A record is not taken; the text is the reason."""


class Note(NamedTuple):
    """A source's note, of any length. Times are Unix milliseconds."""

    origin: str
    """Its permanent name there, by which a later import knows it; empty: only by its text."""
    title: str
    text: str
    kind: str = "note"
    tags: tuple[str, ...] = ()
    created_at: int | None = None
    session: str = ""
    project_name: str = ""
    """Its project's name there; empty: none."""
    id: str = ""
    """Its id here, if exported from here."""


class Incoming(NamedTuple):
    """Another source's memory: a note, or its *part*-th piece of *parts*."""

    origin: str
    title: str
    content: str
    kind: str = "note"
    tags: tuple[str, ...] = ()
    created_at: int | None = None
    source: str = "import"
    session: str = ""
    project_name: str = ""
    id: str = ""
    part: int = 0
    parts: int = 1
    note: Note | None = None
    """The whole note, if this is one of several pieces."""


class FileContent(NamedTuple):
    """A file's whole content."""

    records: list[Incoming]
    left: list[LeftOut]


class Batch(NamedTuple):
    """Some of a file's records."""

    records: list[Incoming]
    left: list[LeftOut]
    next: int | None
    """Next place; None: this was the end."""
    done: int
    total: int


def batch_from(found: FileContent, place: int, limit: int) -> Batch:
    """Return *limit* records from *place* on; the first batch has those left out."""
    total, end, characters = len(found.records), place, 0
    while end < total:
        record = found.records[end]
        is_room = end - place < limit and characters < IMPORT_NOTE_CHARACTERS_MAX
        if not (is_room or record.part):  # the pieces of one note come together
            break
        characters += len(record.content)
        end += 1
    left = [] if place else found.left
    return Batch(found.records[place:end], left, end if end < total else None, end, total)


def found_in(
    items: Iterable[tuple[str, Any]], source: str, note_of: Callable[[Mapping[str, Any]], Note]
) -> FileContent:
    """Make notes of *items* (place, record); bad ones are left out."""
    records: list[Incoming] = []
    left: list[LeftOut] = []
    for place, item in items:
        if isinstance(item, NotTakenError):
            left.append(LeftOut(place, str(item)))
            continue
        if not isinstance(item, dict):
            left.append(LeftOut(place, "it is no object"))
            continue
        try:
            made = pieces_of(note_of(cast("Mapping[str, Any]", item)), source)
        except NotTakenError as why:
            left.append(LeftOut(place, str(why)))
            continue
        records += made
        if not made:
            left.append(LeftOut(place, NO_TEXT))
    return FileContent(records, left)


def pieces_of(note: Note, source: str) -> list[Incoming]:
    """Cut *note* into memories; none if empty. Too long: `NotTakenError`."""
    check_length(note.text)
    return _pieces_of(note, source)


def check_length(text: str) -> None:
    """Raise `NotTakenError` if *text* is too long."""
    if len(text) > IMPORT_NOTE_CHARACTERS_MAX:
        raise NotTakenError(f"it has more than {IMPORT_NOTE_CHARACTERS_MAX:,} characters")


def _pieces_of(note: Note, source: str) -> list[Incoming]:
    text = clean(note.text)
    pieces = list(in_pieces(text))
    title = clean(note.title[: TITLE_CHARACTERS_MAX + SECRET_CHARACTERS_MAX])
    return [
        Incoming(
            origin=f"{source}:{note.origin or hash_of(note.text)}",
            title=title if len(pieces) == 1 else f"{title} ({number + 1} of {len(pieces)})",
            content=piece,
            kind=note.kind,
            tags=tuple(dict.fromkeys(_tags(note.tags))),
            created_at=note.created_at,
            source=source,
            session=clean(note.session),
            project_name=clean(note.project_name),
            id=note.id if len(pieces) == 1 else "",
            part=number,
            parts=len(pieces),
            note=note if len(pieces) > 1 else None,
        )
        for number, piece in enumerate(pieces)
    ]


def _tags(tags: Iterable[str]) -> Iterator[str]:
    told = (tag for tag in tags if tag.strip())
    return (clean(tag[: TAG_CHARACTERS_MAX + SECRET_CHARACTERS_MAX]).strip() for tag in islice(told, 2 * TAGS_MAX))


def without_secrets(records: Iterable[Incoming], redact: Callable[[str], str]) -> Iterator[Incoming]:
    """Redact *records*.

    A note in pieces is redacted whole and cut again, since a secret may lie across a cut.
    """
    for record in records:
        if record.note is None:
            yield _clean_record(record, redact(record.content), redact)
        elif record.part == 0:
            whole = record.note._replace(text=redact(clean(record.note.text)))
            pieces = _pieces_of(whole, record.source) or [record._replace(content="", parts=1)]
            yield from (_clean_record(piece, piece.content, redact) for piece in pieces)


def _clean_record(record: Incoming, content: str, redact: Callable[[str], str]) -> Incoming:
    return record._replace(
        title=" ".join(redact(record.title).split())[:TITLE_CHARACTERS_MAX],
        content=content,
        tags=tuple(redact(tag)[:TAG_CHARACTERS_MAX] for tag in record.tags)[:TAGS_MAX],
        note=None,
    )


def clean(text: str) -> str:
    """Remove NULs and lone surrogates from *text*."""
    return mend_surrogates(text).replace("\0", "")


def in_pieces(text: str) -> Iterator[str]:
    """Yield memory-sized pieces, cut between sections, paragraphs or lines."""
    piece = ""
    for part in _parts(text):
        if piece and len(piece) + len(part) > TEXT_CHARACTERS_MAX:
            yield piece.strip()
            piece = ""
        piece += part
    if piece.strip():
        yield piece.strip()


def _parts(text: str) -> Iterator[str]:
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


# --- what other programs write, as it is said here -------------------------------------------------


def kind_of(*words: Any) -> str:
    """Return the first known kind among *words*; else "note"."""
    for word in words:
        if isinstance(word, str) and (kind := KINDS.get(word.strip().lower().replace("-", "_").replace(" ", "_"))):
            return kind
    return "note"


def time_of(value: Any, *, is_local: bool = False) -> int | None:
    """Parse a time as Unix milliseconds, or None.

    Numbers are seconds or milliseconds; text is ISO 8601, in UTC without a zone, or local if *is_local*.
    """
    if isinstance(value, str):
        try:
            return time_of(float(value))
        except ValueError:
            text = value.strip()
            try:
                date = datetime.fromisoformat(text)
                date = date if date.tzinfo or is_local else date.replace(tzinfo=UTC)
                return int(date.timestamp() * 1000)
            except (ValueError, OverflowError, OSError):
                return None
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value) or value <= 0:
        return None
    return int(value) if value > SECONDS_MAX else int(value * 1000)


def string(value: Any) -> str:
    """Return text, or a number as text; else ""."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    return str(value)


def strings(value: Any) -> tuple[str, ...]:
    """Return a list's texts (or its objects' names), or comma-separated ones."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if not isinstance(value, list):
        return ()
    listed = [in_words(each) for each in cast("list[Any]", value)]
    return tuple(each.strip() for each in listed if each.strip())


def in_words(value: Any, depth: int = 0) -> str:
    """Return *value* in words: an object's text, or its fields as lines."""
    if value is None or depth > TELLING_DEPTH_MAX:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return "\n".join(each for one in cast("list[Any]", value) if (each := in_words(one, depth + 1)))
    if isinstance(value, dict):
        fields = cast("dict[str, Any]", value)
        for key in TEXT_KEYS:
            if isinstance(fields.get(key), str) and fields[key].strip():
                return fields[key]
        lines = ((key, in_words(each, depth + 1)) for key, each in fields.items())
        return "\n".join(f"{key}: {text}" for key, text in lines if text)
    return str(value)


def fields_of(value: Any) -> Mapping[str, Any]:
    """Return *value* if an object, else an empty one."""
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


def first_of(value: Any) -> Mapping[str, Any]:
    """Return a list's first entry if an object; else {}."""
    return fields_of(cast("list[Any]", value)[0]) if isinstance(value, list) and value else {}


def shown_path(path: str | Path) -> str:
    r"""Return a path as text, with non-UTF-8 bytes as `\xff`."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def hash_of(text: str) -> str:
    """Return a name for a nameless record, which changes with its text."""
    return hashlib.sha256(clean(text).encode()).hexdigest()[:32]
