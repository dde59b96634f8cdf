"""The file of the reference memory server (`@modelcontextprotocol/server-memory`): a graph, one JSON object per line.

An entity with its observations, and the relations it is in, becomes a memory. So does who is only named in relations. A
graph as the server's tool `read_graph` prints it (one object with two lists) is read, too.
"""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from palimp_daemon.features.transfer.reading import Look, content_of, listed, records_of
from palimp_daemon.features.transfer.record import (
    Batch,
    FileContent,
    Incoming,
    LeftOut,
    Note,
    NotTakenError,
    batch_from,
    fields_of,
    pieces_of,
    string,
    time_of,
    told,
)

SOURCE: Final = "server-memory"


class _Entity(NamedTuple):
    kind: str
    observations: list[str]
    created_at: int | None


def recognises(look: Look) -> bool:
    """Tell whether it is a graph."""
    if isinstance(look.fields.get("entities"), list) and "relations" in look.fields:
        return True
    return any(
        (line.get("type") == "entity" and "name" in line)
        or (line.get("type") == "relation" and "from" in line and "to" in line)
        for line in look.lines
    )


def batch_of(path: Path, place: int, limit: int) -> Batch:
    """Return *limit* memories from the one numbered *place* on.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is too long.
    """
    return batch_from(content_of(path, _found), place, limit)


def _found(document: Any) -> FileContent:
    entities: dict[str, _Entity] = {}
    relations: defaultdict[str, list[str]] = defaultdict(list)
    left: list[LeftOut] = []
    for where, item in _items(document):
        match item:
            case {"type": "entity", "name": str(name)} if name.strip():
                known = entities.get(name)
                texts, created_at = _observations(fields_of(item).get("observations"))
                kind = string(fields_of(item).get("entityType"))
                entities[name] = (
                    known._replace(observations=[*known.observations, *texts])
                    if known
                    else _Entity(kind, texts, created_at)
                )
            case {"type": "relation", "from": str(one), "to": str(other)} if one.strip() and other.strip():
                how = string(fields_of(item).get("relationType")) or "is related to"
                relations[one].append(f"{one} {how} {other}")
                entities.setdefault(one, _Entity("", [], None))
            case NotTakenError():
                left.append(LeftOut(where, str(item)))
            case _:
                left.append(LeftOut(where, "it is no entity and no relation"))
    records: list[Incoming] = []
    for name, (kind, observations, created_at) in entities.items():
        text = "\n".join([*observations, *relations[name]])
        note = Note(name, name, text, tags=(kind,), created_at=created_at, older_origin=f"{SOURCE}:{name}")
        made = pieces_of(note, SOURCE)
        records += made
        if not made:
            left.append(LeftOut(name, "it has no observations and no relations"))
    return FileContent(records, left)


def _items(document: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(document, dict) and "entities" in document:
        fields = cast("dict[str, Any]", document)
        for name, kind in (("entities", "entity"), ("relations", "relation")):
            for where, each in listed(fields.get(name), name):
                yield where, {**fields_of(each), "type": kind}
        return
    yield from records_of(document)


def _observations(value: Any) -> tuple[list[str], int | None]:
    """Return the texts of observations, which newer versions write as objects, and the first of their times."""
    given = cast("list[Any]", value) if isinstance(value, list) else [value]
    texts = [text for each in given if (text := told(each).strip())]
    times = [time_of(fields_of(each).get(key)) for each in given for key in ("createdAt", "created_at", "timestamp")]
    return texts, min((at for at in times if at), default=None)
