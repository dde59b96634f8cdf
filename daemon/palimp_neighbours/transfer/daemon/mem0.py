"""Import mem0's `get_all` and exports: a list of memories, bare or under `results`."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from palimp_neighbours.transfer.daemon.file_reading import Look, entries_of
from palimp_neighbours.transfer.daemon.importer import Records, first_records, lists_of
from palimp_neighbours.transfer.daemon.record import (
    Note,
    NotTakenError,
    fields_of,
    in_words,
    kind_of,
    string,
    strings,
    time_of,
)
from palimp_protocol.env import clock

_LISTS: Final = ("results", "memories")


def _recognises(look: Look) -> bool:
    return any(isinstance(each.get("memory"), str) and "content" not in each for each in first_records(look, _LISTS))


def _items(document: Any) -> Iterator[tuple[str, Any]]:
    yield from lists_of(document, _LISTS)
    for where, each in entries_of(fields_of(document).get("relations"), "relations"):
        yield where, NotTakenError("a relation of its graph") if isinstance(each, dict) else each


def _note(fields: Mapping[str, Any]) -> Note:
    about = fields_of(fields.get("metadata"))
    if fields.get("deleted_at") or fields.get("is_deleted") is True or fields.get("event") == "DELETE":
        raise NotTakenError("deleted there")
    expires_at = time_of(fields.get("expiration_date"))
    if expires_at is not None and expires_at < clock.now_ms():
        raise NotTakenError("expired there")
    named = (fields.get("categories"), about.get("category"), about.get("categories"))
    categories = tuple(category for each in named for category in strings(each))
    return Note(
        string(fields.get("id")),
        string(about.get("title")),
        in_words(fields.get("memory")),
        kind=kind_of(about.get("type"), about.get("kind"), *categories),
        tags=(*categories, *strings(about.get("tags"))),
        created_at=time_of(fields.get("created_at")),
        session=string(fields.get("run_id")),
    )


IMPORTER: Final = Records("mem0", _recognises, _note, _items)
