"""Import beads: a repository's issues (`.beads/issues.jsonl`), with state and outcome."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from palimp_neighbours.transfer.daemon.file_reading import Look, entries_of
from palimp_neighbours.transfer.daemon.importer import Records, lists_of
from palimp_neighbours.transfer.daemon.record import (
    DELETED,
    Batch,
    Note,
    NotTakenError,
    fields_of,
    hash_of,
    in_words,
    kind_of,
    string,
    strings,
    time_of,
)

FILES: Final = ("issues.jsonl", "beads.jsonl")

DONE: Final = frozenset({"closed", "done", "resolved", "completed"})
_TELLING: Final = frozenset({"issue_type", "priority", "dependencies", "acceptance_criteria", "closed_at"})
_PARTS: Final = {
    "description": "",
    "design": "Design",
    "acceptance_criteria": "Accepted when",
    "notes": "Notes",
    "resolution": "Resolution",
}


def _recognises(look: Look) -> bool:
    if look.is_folder:
        return any((look.path / name).is_file() for name in FILES)
    return any(
        {"id", "title", "status"} <= each.keys() and bool(_TELLING & each.keys())
        for each in (look.first, *look.lines[:3])
    )


def _note(fields: Mapping[str, Any]) -> Note:
    status = string(fields.get("status")).lower()
    if status in ("tombstone", "deleted") or fields.get("deleted_at"):
        raise NotTakenError(DELETED)
    created_at = time_of(fields.get("created_at"))
    if fields.get("_type") == "memory" or ("value" in fields and "title" not in fields):
        text = in_words(fields.get("value") or fields.get("content"))
        return Note(f"memory:{string(fields.get('key')) or hash_of(text)}", "", text, created_at=created_at)
    name, title = string(fields.get("id")), string(fields.get("title"))
    if not title.strip():
        raise NotTakenError("it has no title")
    kind, is_done = string(fields.get("issue_type")), status in DONE
    return Note(
        name or hash_of(title),
        f"{name}: {title}" if name else title,
        "\n".join(_lines(fields, title, status)),
        kind=kind_of(kind) if kind != "bug" or is_done else "finding",
        tags=(*strings(fields.get("labels")), *((kind,) if kind else ()), "closed" if is_done else "open"),
        created_at=created_at,
    )


def _lines(fields: Mapping[str, Any], title: str, status: str) -> Iterator[str]:
    yield title
    for key, name in _PARTS.items():
        if text := in_words(fields.get(key)).strip():
            yield f"{name}: {text}" if name else text
    for _, each in entries_of(fields.get("comments"), ""):
        if text := in_words(fields_of(each).get("text") or each).strip():
            yield f"Comment: {text}"
    for _, each in entries_of(fields.get("dependencies"), ""):
        other = string(fields_of(each).get("depends_on_id") or fields_of(each).get("id"))
        if other:
            yield f"{string(fields_of(each).get('type')) or 'depends on'}: {other}"
    reason = in_words(fields.get("close_reason")).strip()
    on = string(fields.get("closed_at"))[:10]
    yield " ".join(["Status:", status or "open", *([f"on {on}"] if on else []), *([f"({reason})"] if reason else [])])


class _Beads(Records):
    def batch_of(self, path: Path, place: int, limit: int) -> Batch:
        if path.is_dir():
            path = next((path / name for name in FILES if (path / name).is_file()), path / FILES[0])
        return super().batch_of(path, place, limit)


IMPORTER: Final = _Beads("beads", _recognises, _note, lambda document: lists_of(document, ("issues",)))
