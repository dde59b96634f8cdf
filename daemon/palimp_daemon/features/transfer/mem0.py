"""mem0: what `get_all` and its exports give; a list of memories, bare or under `results`."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from palimp_daemon.features.transfer.reading import Look, content_of, listed, records_of
from palimp_daemon.features.transfer.record import (
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
from palimp_protocol.env import clock

SOURCE: Final = "mem0"
_LISTS: Final = ("results", "memories")


def recognises(look: Look) -> bool:
    """Tell whether its records have a text under `memory`."""
    records = [look.first, *look.lines, *(fields_of(each) for _, each in _items(look.document))]
    return any(isinstance(each.get("memory"), str) and "content" not in each for each in records[:3])


def batch_of(path: Path, place: int, limit: int) -> Batch:
    """Return *limit* memories from the one numbered *place* on.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is too long.
    """
    return batch_from(content_of(path, _found), place, limit)


def _found(document: Any) -> FileContent:
    return found_in(_items(document), SOURCE, _note)


def _items(document: Any) -> Iterator[tuple[str, Any]]:
    fields = fields_of(document)
    name = next((name for name in _LISTS if isinstance(fields.get(name), list)), "")
    if not name:
        yield from records_of(document)
        return
    yield from listed(fields[name], name)
    for where, each in listed(fields.get("relations"), "relations"):
        yield where, NotTakenError("a relation of its graph") if isinstance(each, dict) else each


def _note(fields: Mapping[str, Any]) -> Note:
    text, about = told(fields.get("memory")), fields_of(fields.get("metadata"))
    if fields.get("deleted_at") or fields.get("is_deleted") is True or fields.get("event") == "DELETE":
        raise NotTakenError("deleted there")
    expires_at = time_of(fields.get("expiration_date"))
    if expires_at is not None and expires_at < clock.now_ms():
        raise NotTakenError("expired there")
    categories = (
        *strings(fields.get("categories")),
        *strings(about.get("category")),
        *strings(about.get("categories")),
    )
    return Note(
        string(fields.get("id")) or hash_of(text),
        string(about.get("title")),
        text,
        kind=kind_of(about.get("type"), about.get("kind"), *categories),
        tags=(*categories, *strings(about.get("tags"))),
        created_at=time_of(fields.get("created_at")),
        session=string(fields.get("run_id")),
    )
