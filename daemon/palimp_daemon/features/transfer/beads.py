"""beads: the issues of a repository (`.beads/issues.jsonl`), each a memory that says what is open and what was done."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from palimp_daemon.features.transfer.reading import Look, content_of, listed, records_of
from palimp_daemon.features.transfer.record import (
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

SOURCE: Final = "beads"
FILES: Final = ("issues.jsonl", "beads.jsonl")
"""What its file is called in its folder."""

DONE: Final = frozenset({"closed", "done", "resolved", "completed"})
_TELLING: Final = frozenset({"issue_type", "priority", "dependencies", "acceptance_criteria", "closed_at"})
_PARTS: Final = {
    "description": "",
    "design": "Design",
    "acceptance_criteria": "Accepted when",
    "notes": "Notes",
    "resolution": "Resolution",
}


def recognises(look: Look) -> bool:
    """Tell whether it holds issues, or is the folder of them."""
    if look.is_folder:
        return any((look.path / name).is_file() for name in FILES)
    return any(_is_issue(each) for each in (look.first, *look.lines[:3]))


def _is_issue(fields: Mapping[str, Any]) -> bool:
    return {"id", "title", "status"} <= fields.keys() and bool(_TELLING & fields.keys())


def batch_of(path: Path, place: int, limit: int) -> Batch:
    """Return *limit* issues from the one numbered *place* on.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is too long.
    """
    if path.is_dir():
        path = next((path / name for name in FILES if (path / name).is_file()), path / FILES[0])
    return batch_from(content_of(path, _found), place, limit)


def _found(document: Any) -> FileContent:
    return found_in(_items(document), SOURCE, _note)


def _items(document: Any) -> Iterator[tuple[str, Any]]:
    given = fields_of(document).get("issues")
    yield from listed(given, "issues") if isinstance(given, list) else records_of(document)


def _note(fields: Mapping[str, Any]) -> Note:
    status = string(fields.get("status")).lower()
    if status in ("tombstone", "deleted") or fields.get("deleted_at"):
        raise NotTakenError(DELETED)
    if fields.get("_type") == "memory" or ("value" in fields and "title" not in fields):
        text = told(fields.get("value") or fields.get("content"))
        return Note(f"memory:{string(fields.get('key')) or hash_of(text)}", "", text, created_at=_created(fields))
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
        created_at=_created(fields),
    )


def _lines(fields: Mapping[str, Any], title: str, status: str) -> Iterator[str]:
    yield title
    for key, name in _PARTS.items():
        if text := told(fields.get(key)).strip():
            yield f"{name}: {text}" if name else text
    for _, each in listed(fields.get("comments"), ""):
        if text := told(fields_of(each).get("text") or each).strip():
            yield f"Comment: {text}"
    for _, each in listed(fields.get("dependencies"), ""):
        other = string(fields_of(each).get("depends_on_id") or fields_of(each).get("id"))
        if other:
            yield f"{string(fields_of(each).get('type')) or 'depends on'}: {other}"
    reason = told(fields.get("close_reason")).strip()
    on = string(fields.get("closed_at"))[:10]
    yield " ".join(["Status:", status or "open", *([f"on {on}"] if on else []), *([f"({reason})"] if reason else [])])


def _created(fields: Mapping[str, Any]) -> int | None:
    return time_of(fields.get("created_at"))
