"""Import engram's (the Go program's) export or SQLite database: observations and summaries, no prompts."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from palimp_neighbours.transfer.daemon.file_reading import Look, entries_of
from palimp_neighbours.transfer.daemon.importer import Records, columns
from palimp_neighbours.transfer.daemon.record import (
    DELETED,
    Note,
    NotTakenError,
    fields_of,
    first_of,
    in_words,
    kind_of,
    string,
    time_of,
)

_COLUMNS: Final = columns(
    *("id", "sync_id", "session_id", "type", "title", "content", "project", "scope", "topic_key", "created_at"),
    "deleted_at",
)


def _recognises(look: Look) -> bool:
    if {"content", "topic_key"} <= look.tables.get("observations", frozenset()):
        return True
    given = look.fields.get("observations")
    first = first_of(given)
    return "content" in first or ("exported_at" in look.fields and isinstance(given, list) and not first)


def _items(given: Any) -> Iterator[tuple[str, Any]]:
    document = fields_of(given)
    yield from entries_of(document.get("observations"), "observations")
    for where, each in entries_of(document.get("sessions"), "sessions"):
        if in_words(fields_of(each).get("summary")):
            yield where, {**fields_of(each), "is_session": True}
    for where, _ in entries_of(document.get("prompts"), "prompts"):
        yield where, NotTakenError("it is a prompt, no memory")


def _note(fields: Mapping[str, Any]) -> Note:
    if fields.get("deleted_at"):
        raise NotTakenError(DELETED)
    if fields.get("is_session"):
        key, text = string(fields.get("id")), in_words(fields.get("summary"))
        about = {"created_at": fields.get("ended_at") or fields.get("started_at"), "type": "summary"}
        fields = {**fields, **about, "session_id": key, "sync_id": f"session:{key}", "content": text}
    text, topic = in_words(fields.get("content")), string(fields.get("topic_key"))
    return Note(
        string(fields.get("sync_id")) or string(fields.get("id")),
        string(fields.get("title")),
        text or string(fields.get("title")),
        kind=kind_of(fields.get("type"), topic.partition("/")[0]),
        tags=tuple(each for each in (string(fields.get("type")), topic) if each),
        created_at=time_of(fields.get("created_at")),
        session=string(fields.get("session_id")),
        project_name=string(fields.get("project")),
    )


IMPORTER: Final = Records("engram", _recognises, _note, _items, {"observations": ("observation", _COLUMNS)})
