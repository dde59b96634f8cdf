"""Import OpenMemory (mem0's): its backup's archive, either file in it, or its interface's list.

Paused, archived and deleted memories are left out.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from palimp_neighbours.transfer.daemon.file_reading import Look, entries_of
from palimp_neighbours.transfer.daemon.importer import Records, first_records, lists_of
from palimp_neighbours.transfer.daemon.record import (
    ARCHIVED,
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

_LISTS: Final = ("memories", "items")
_TELLING: Final = frozenset({"state", "app", "app_id", "app_name", "category_ids", "primary_sector", "archived_at"})
_STATES: Final = {"archived": ARCHIVED, "deleted": DELETED, "paused": "paused there"}


def _recognises(look: Look) -> bool:
    records = first_records(look, _LISTS)
    return any("content" in each and "content_hash" not in each and _TELLING & each.keys() for each in records)


def _items(document: Any) -> Iterator[tuple[str, Any]]:
    named = {
        string(fields_of(each).get("id")): string(fields_of(each).get("name"))
        for _, each in entries_of(fields_of(document).get("categories"), "")
    }
    for where, each in lists_of(document, _LISTS):
        yield where, {**cast("dict[str, Any]", each), "named": named} if isinstance(each, dict) else each


def _note(fields: Mapping[str, Any]) -> Note:
    state = string(fields.get("state")).lower()
    if state in _STATES or fields.get("deleted_at") or fields.get("archived_at"):
        raise NotTakenError(_STATES.get(state, DELETED if fields.get("deleted_at") else ARCHIVED))
    about = fields_of(fields.get("metadata") or fields.get("metadata_"))
    named = tuple(fields["named"].get(each, "") for each in strings(fields.get("category_ids")))
    words = (*strings(fields.get("categories")), *named, *strings(fields.get("tags")), *strings(about.get("tags")))
    return Note(
        string(fields.get("id")),
        string(about.get("title")),
        in_words(fields.get("content")),
        kind=kind_of(about.get("type"), about.get("kind"), *words),
        tags=words,
        created_at=time_of(fields.get("created_at")),
    )


IMPORTER: Final = Records("openmemory", _recognises, _note, _items)
