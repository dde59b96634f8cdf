"""engram (the Go program): what `engram export` writes, and its SQLite database; observations and session summaries.

What was asked (`prompts`) is left out: it is no memory.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from palimp_daemon.features.transfer.reading import Look, content_of, count_of, is_database, listed, rows_of, tables_of
from palimp_daemon.features.transfer.record import (
    DELETED,
    Batch,
    FileContent,
    Note,
    NotTakenError,
    batch_from,
    fields_of,
    first_of,
    found_in,
    hash_of,
    kind_of,
    string,
    time_of,
    told,
)

SOURCE: Final = "engram"
_COLUMNS: Final = (
    *("id", "sync_id", "session_id", "type", "title", "content", "project", "scope", "topic_key", "created_at"),
    "deleted_at",
)


def recognises(look: Look) -> bool:
    """Tell whether it has observations with a content."""
    if {"content", "topic_key"} <= look.tables.get("observations", frozenset()):
        return True
    given = look.fields.get("observations")
    first = first_of(given)
    return "content" in first or ("exported_at" in look.fields and isinstance(given, list) and not first)


def batch_of(path: Path, place: int, limit: int) -> Batch:
    """Return *limit* memories from the one numbered *place* on.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is too long, or damaged.
    """
    if not is_database(path):
        return batch_from(content_of(path, _found), place, limit)
    there, total = tables_of(path).get("observations", frozenset[str]()), count_of(path, "observations")
    columns = {name: name if name in there else "" for name in _COLUMNS}
    rows = rows_of(path, "observations", columns, place, limit)
    found = found_in(((f"observation {row['id']}", row) for row in rows), SOURCE, _note)
    end = min(place + limit, total)
    return Batch(found.records, found.left, end if end < total else None, end, total)


def _found(document: Any) -> FileContent:
    return found_in(_items(fields_of(document)), SOURCE, _note)


def _items(document: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield from listed(document.get("observations"), "observations")
    for where, each in listed(document.get("sessions"), "sessions"):
        if told(fields_of(each).get("summary")):
            yield where, {**fields_of(each), "is_session": True}
    for where, _ in listed(document.get("prompts"), "prompts"):
        yield where, NotTakenError("it is a prompt, no memory")


def _note(fields: Mapping[str, Any]) -> Note:
    if fields.get("deleted_at"):
        raise NotTakenError(DELETED)
    if fields.get("is_session"):
        key, text = string(fields.get("id")), told(fields.get("summary"))
        about = {"created_at": fields.get("ended_at") or fields.get("started_at"), "type": "summary"}
        fields = {**fields, **about, "session_id": key, "sync_id": f"session:{key}", "content": text}
    text, topic = told(fields.get("content")), string(fields.get("topic_key"))
    return Note(
        string(fields.get("sync_id")) or string(fields.get("id")) or hash_of(text),
        string(fields.get("title")),
        text or string(fields.get("title")),
        kind=kind_of(fields.get("type"), topic.partition("/")[0]),
        tags=tuple(each for each in (string(fields.get("type")), topic) if each),
        created_at=time_of(fields.get("created_at")),
        session=string(fields.get("session_id")),
        project_name=string(fields.get("project")),
    )
