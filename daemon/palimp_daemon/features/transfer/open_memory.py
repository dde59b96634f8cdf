"""OpenMemory (mem0's): the archive that its backup writes, either file in it, and what its interface lists.

What is paused, archived or deleted there is left out.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from palimp_daemon.features.transfer.reading import Look, content_of, listed, records_of
from palimp_daemon.features.transfer.record import (
    ARCHIVED,
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

SOURCE: Final = "openmemory"
_LISTS: Final = ("memories", "items")
_TELLING: Final = frozenset({"state", "app", "app_id", "app_name", "category_ids", "primary_sector", "archived_at"})
_STATES: Final = {"archived": ARCHIVED, "deleted": DELETED, "paused": "paused there"}


def recognises(look: Look) -> bool:
    """Tell whether its records have a content and a state."""
    records = [look.first, *look.lines, *(fields_of(each) for _, each in _items(look.document))]
    return any("content" in each and "content_hash" not in each and _TELLING & each.keys() for each in records[:3])


def batch_of(path: Path, place: int, limit: int) -> Batch:
    """Return *limit* memories from the one numbered *place* on.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is too long, or an archive of something else.
    """
    return batch_from(content_of(path, _found), place, limit)


def _found(document: Any) -> FileContent:
    categories = {
        string(fields_of(each).get("id")): string(fields_of(each).get("name"))
        for _, each in listed(fields_of(document).get("categories"), "")
    }
    return found_in(_items(document), SOURCE, lambda fields: _note(fields, categories))


def _items(document: Any) -> Iterator[tuple[str, Any]]:
    fields = fields_of(document)
    name = next((name for name in _LISTS if isinstance(fields.get(name), list)), "")
    yield from listed(fields[name], name) if name else records_of(document)


def _note(fields: Mapping[str, Any], categories: Mapping[str, str]) -> Note:
    state = string(fields.get("state")).lower()
    if state in _STATES or fields.get("deleted_at") or fields.get("archived_at"):
        raise NotTakenError(_STATES.get(state, DELETED if fields.get("deleted_at") else ARCHIVED))
    text = told(fields.get("content"))
    about = fields_of(fields.get("metadata") or fields.get("metadata_"))
    named = tuple(categories.get(each, "") for each in strings(fields.get("category_ids")))
    words = (*strings(fields.get("categories")), *named, *strings(fields.get("tags")), *strings(about.get("tags")))
    return Note(
        string(fields.get("id")) or hash_of(text),
        string(about.get("title")),
        text,
        kind=kind_of(about.get("type"), about.get("kind"), *words),
        tags=words,
        created_at=time_of(fields.get("created_at")),
    )
