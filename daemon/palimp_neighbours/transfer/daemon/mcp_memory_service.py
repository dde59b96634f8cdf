"""Import mcp-memory-service's JSON export or SQLite database (`sqlite_vec.db`)."""

import json
from collections.abc import Mapping
from typing import Any, Final

from palimp_neighbours.transfer.daemon.file_reading import Look
from palimp_neighbours.transfer.daemon.importer import Records, columns, first_records, lists_of
from palimp_neighbours.transfer.daemon.record import (
    DELETED,
    Note,
    NotTakenError,
    fields_of,
    in_words,
    kind_of,
    string,
    strings,
    time_of,
)

_LISTS: Final = ("memories",)
_COLUMNS: Final = columns(
    *("content_hash", "content", "tags", "memory_type", "metadata", "created_at", "created_at_iso", "deleted_at")
)


def _recognises(look: Look) -> bool:
    if {"content", "content_hash"} <= look.tables.get("memories", frozenset()):
        return True
    if "export_metadata" in look.fields and isinstance(look.fields.get("memories"), list):
        return True
    return any("content" in each and "content_hash" in each for each in first_records(look, _LISTS))


def _note(fields: Mapping[str, Any]) -> Note:
    if fields.get("deleted_at"):
        raise NotTakenError(DELETED)
    about = _about(fields.get("metadata"))
    tags = strings(fields.get("tags")) or strings(about.get("tags"))
    return Note(
        string(fields.get("content_hash")),
        string(about.get("title")),
        in_words(fields.get("content")),
        kind=kind_of(fields.get("memory_type"), about.get("type"), *tags),
        tags=tags,
        created_at=time_of(fields.get("created_at")) or time_of(fields.get("created_at_iso")),
    )


def _about(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, str):
        return fields_of(value)
    try:
        return fields_of(json.loads(value))
    except (ValueError, RecursionError):
        return {}


IMPORTER: Final = Records(
    "mcp-memory-service",
    _recognises,
    _note,
    lambda document: lists_of(document, _LISTS),
    {"memories": ("memory", _COLUMNS)},
)
