"""Import agentmemory's export: memories, lessons, summaries, some observations."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from palimp_neighbours.transfer.daemon.file_reading import Look, entries_of
from palimp_neighbours.transfer.daemon.importer import Records
from palimp_neighbours.transfer.daemon.record import (
    Note,
    NotTakenError,
    fields_of,
    first_of,
    hash_of,
    in_words,
    kind_of,
    string,
    strings,
    time_of,
)

_LISTS: Final = ("memories", "summaries", "lessons", "insights", "semanticMemories", "proceduralMemories")
_TELLING: Final = frozenset({"decision", "discovery", "error"})
"""Types of observations that say more than a tool's action."""


def _recognises(look: Look) -> bool:
    fields = look.fields
    if not isinstance(fields.get("memories"), list):
        return False
    first = first_of(fields["memories"])
    return isinstance(fields.get("observations"), dict) or {"isLatest", "strength"} <= first.keys()


def _items(given: Any) -> Iterator[tuple[str, Any]]:
    document = fields_of(given)
    for name in _LISTS:
        for where, each in entries_of(document.get(name), name):
            yield where, {**cast("dict[str, Any]", each), "list": name} if isinstance(each, dict) else each
    for session, observations in fields_of(document.get("observations")).items():
        for where, each in entries_of(observations, f"observations.{session}"):
            yield where, {**cast("dict[str, Any]", each), "list": "observations"} if isinstance(each, dict) else each


def _note(fields: Mapping[str, Any]) -> Note:
    name = fields["list"]
    if fields.get("isLatest") is False or fields.get("supersededBy"):
        raise NotTakenError("an older version")
    if fields.get("deleted") is True or fields.get("deletedAt"):
        raise NotTakenError("deleted there")
    if name == "observations" and fields.get("type") not in _TELLING:
        raise NotTakenError("an observation of what a tool did")
    sessions = strings(fields.get("sessionIds"))
    text = "\n".join(_lines(fields))
    key = string(fields.get("id")) or string(fields.get("sessionId")) or hash_of(text)
    return Note(
        f"{name}:{key}",
        string(fields.get("title")) or string(fields.get("name")),
        text,
        kind="summary" if name == "summaries" else kind_of(fields.get("type"), name.removesuffix("s")),
        tags=(*strings(fields.get("concepts")), *strings(fields.get("tags"))),
        created_at=time_of(fields.get("createdAt")) or time_of(fields.get("timestamp")),
        session=string(fields.get("sessionId")) or (sessions[0] if sessions else ""),
        project_name=string(fields.get("project")).rstrip("/").rsplit("/", 1)[-1],
    )


def _lines(fields: Mapping[str, Any]) -> Iterator[str]:
    for key in ("content", "fact", "subtitle", "narrative", "context", "triggerCondition", "expectedOutcome"):
        if text := in_words(fields.get(key)).strip():
            yield text
    for key in ("facts", "keyDecisions", "steps"):
        yield from (f"- {each}" for each in strings(fields.get(key)))
    files = (*strings(fields.get("files")), *strings(fields.get("filesModified")))
    if files:
        yield f"Files: {', '.join(files)}"


IMPORTER: Final = Records("agentmemory", _recognises, _note, _items)
