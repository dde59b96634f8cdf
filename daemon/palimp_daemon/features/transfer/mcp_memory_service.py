"""mcp-memory-service: the JSON that it exports, and its SQLite database (`sqlite_vec.db`)."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from palimp_daemon.features.transfer.reading import (
    Look,
    content_of,
    count_of,
    is_database,
    listed,
    records_of,
    rows_of,
    tables_of,
)
from palimp_daemon.features.transfer.record import (
    DELETED,
    Batch,
    FileContent,
    Note,
    NotTakenError,
    batch_from,
    fields_of,
    found_in,
    hash_of,
    kind_of,
    string,
    strings,
    time_of,
    told,
)

SOURCE: Final = "mcp-memory-service"
_COLUMNS: Final = (
    "content_hash",
    "content",
    "tags",
    "memory_type",
    "metadata",
    "created_at",
    "created_at_iso",
    "deleted_at",
)


def recognises(look: Look) -> bool:
    """Tell whether its memories have hashes of their content."""
    if {"content", "content_hash"} <= look.tables.get("memories", frozenset()):
        return True
    if "export_metadata" in look.fields and isinstance(look.fields.get("memories"), list):
        return True
    records = [look.first, *look.lines, *(fields_of(each) for _, each in _items(look.document))]
    return any("content" in each and "content_hash" in each for each in records[:3])


def batch_of(path: Path, place: int, limit: int) -> Batch:
    """Return *limit* memories from the one numbered *place* on.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is too long, or damaged.
    """
    if not is_database(path):
        return batch_from(content_of(path, _found), place, limit)
    there, total = tables_of(path).get("memories", frozenset[str]()), count_of(path, "memories")
    columns = {name: name if name in there else "" for name in _COLUMNS}
    rows = rows_of(path, "memories", columns, place, limit)
    found = found_in(((f"memory {place + number}", row) for number, row in enumerate(rows, 1)), SOURCE, _note)
    end = min(place + limit, total)
    return Batch(found.records, found.left, end if end < total else None, end, total)


def _found(document: Any) -> FileContent:
    return found_in(_items(document), SOURCE, _note)


def _items(document: Any) -> Iterator[tuple[str, Any]]:
    given = fields_of(document).get("memories")
    yield from listed(given, "memories") if isinstance(given, list) else records_of(document)


def _note(fields: Mapping[str, Any]) -> Note:
    if fields.get("deleted_at"):
        raise NotTakenError(DELETED)
    text, about = told(fields.get("content")), _about(fields.get("metadata"))
    tags = strings(fields.get("tags")) or strings(about.get("tags"))
    return Note(
        string(fields.get("content_hash")) or hash_of(text),
        string(about.get("title")),
        text,
        kind=kind_of(fields.get("memory_type"), about.get("type"), *tags),
        tags=tags,
        created_at=time_of(fields.get("created_at")) or time_of(fields.get("created_at_iso")),
    )


def _about(value: Any) -> Mapping[str, Any]:
    """Return the metadata, which the database has as JSON."""
    if not isinstance(value, str):
        return fields_of(value)
    try:
        return fields_of(json.loads(value))
    except (ValueError, RecursionError):
        return {}
