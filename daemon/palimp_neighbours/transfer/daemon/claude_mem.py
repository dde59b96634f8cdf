"""Import claude-mem's SQLite database or JSON export: observations and session summaries."""

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from palimp_neighbours.transfer.daemon.file_reading import Look, entries_of
from palimp_neighbours.transfer.daemon.importer import Records, columns
from palimp_neighbours.transfer.daemon.record import (
    Note,
    fields_of,
    first_of,
    in_words,
    kind_of,
    string,
    strings,
    time_of,
)

_SUMMARY: Final = {
    "Asked": "request",
    "Looked into": "investigated",
    "Learned": "learned",
    "Done": "completed",
    "Next": "next_steps",
    "Notes": "notes",
}
_SESSION: Final = ("memory_session_id", "sdk_session_id", "session_id")
_COMMON: Final = ("id", "project", "created_at_epoch", "created_at")
_OBSERVED: Final = ("type", "title", "subtitle", "narrative", "facts", "text", "concepts", "files_modified")
_TELLING: Final = frozenset({"narrative", "facts", "subtitle", "memory_session_id", "sdk_session_id"})
"""Keys that only its observations have."""


def _recognises(look: Look) -> bool:
    if look.tables.get("observations", frozenset()) & {"sdk_session_id", "memory_session_id"}:
        return True
    given = look.fields.get("observations")
    first = first_of(given)
    return bool(_TELLING & first.keys()) or (isinstance(given, list) and "exportedAt" in look.fields and not first)


def _items(document: Any) -> Iterator[tuple[str, Any]]:
    fields = fields_of(document)
    for name in ("observations", "summaries", "session_summaries"):
        kind = "observation" if name == "observations" else "summary"
        for where, each in entries_of(fields.get(name), name):
            yield where, {**cast("dict[str, Any]", each), "table": kind} if isinstance(each, dict) else each


def _note(fields: Mapping[str, Any]) -> Note:
    table = fields["table"]
    session = next((string(fields.get(name)) for name in ("session", *_SESSION) if fields.get(name)), "")
    title, text, tags = _of_summary(fields) if table == "summary" else _of_observation(fields)
    return Note(
        f"{table}:{session}:{string(fields.get('id'))}",
        title,
        text,
        kind="summary" if table == "summary" else kind_of(fields.get("type")),
        tags=tags,
        created_at=time_of(fields.get("created_at_epoch")) or time_of(fields.get("created_at")),
        session=session,
        project_name=string(fields.get("project")),
    )


def _of_observation(fields: Mapping[str, Any]) -> tuple[str, str, tuple[str, ...]]:
    title = string(fields.get("title"))
    parts = [text for key in ("subtitle", "narrative", "text", "content") if (text := in_words(fields.get(key)))]
    parts += [f"- {fact}" for fact in _list_of(fields.get("facts"))]
    if changed := _list_of(fields.get("files_modified")):
        parts.append(f"Files: {', '.join(changed)}")
    return title, "\n".join(parts) or title, _list_of(fields.get("concepts"))


def _of_summary(fields: Mapping[str, Any]) -> tuple[str, str, tuple[str, ...]]:
    said = {name: in_words(fields.get(key)) for name, key in _SUMMARY.items()}
    body = "\n".join(f"{name}: {text}" for name, text in said.items() if text)
    return f"Session: {said['Asked'][:120] or 'without a request'}", body, ()


def _list_of(value: Any) -> tuple[str, ...]:
    if not isinstance(value, str):
        return strings(value)
    try:
        found: Any = json.loads(value)
    except (ValueError, RecursionError):
        found = value
    return strings(found) if isinstance(found, list) else ((value,) if value.strip() else ())


IMPORTER: Final = Records(
    "claude-mem",
    _recognises,
    _note,
    _items,
    {
        "observations": ("observation", columns(*_COMMON, *_OBSERVED, session=_SESSION)),
        "session_summaries": ("summary", columns(*_COMMON, *_SUMMARY.values(), session=_SESSION)),
    },
)
