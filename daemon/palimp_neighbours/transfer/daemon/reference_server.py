"""Import the reference memory server's file: a graph, as JSON objects per line, or one object."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, Final, cast

from palimp_neighbours.transfer.daemon.file_reading import Look, entries_of, records_of
from palimp_neighbours.transfer.daemon.importer import Records
from palimp_neighbours.transfer.daemon.record import Note, NotTakenError, fields_of, in_words, string, time_of

SOURCE: Final = "server-memory"


def _recognises(look: Look) -> bool:
    if isinstance(look.fields.get("entities"), list) and "relations" in look.fields:
        return True
    return any(
        (line.get("type") == "entity" and "name" in line)
        or (line.get("type") == "relation" and "from" in line and "to" in line)
        for line in look.lines
    )


def _items(document: Any) -> Iterator[tuple[str, Any]]:
    entities: dict[str, dict[str, Any]] = {}
    relations: defaultdict[str, list[str]] = defaultdict(list)
    for where, item in _lines(document):
        match item:
            case {"type": "entity", "name": str(name)} if name.strip():
                texts, at = _observations(fields_of(item).get("observations"))
                new: dict[str, Any] = {
                    "name": name,
                    "kind": string(fields_of(item).get("entityType")),
                    "texts": [],
                    "at": at,
                }
                entities.setdefault(name, new)["texts"] += texts
            case {"type": "relation", "from": str(one), "to": str(other)} if one.strip() and other.strip():
                how = string(fields_of(item).get("relationType")) or "is related to"
                relations[one].append(f"{one} {how} {other}")
                entities.setdefault(one, {"name": one, "kind": "", "texts": [], "at": None})
            case NotTakenError():
                yield where, item
            case _:
                yield where, NotTakenError("it is no entity and no relation")
    for name, entity in entities.items():
        yield name, {**entity, "texts": [*entity["texts"], *relations[name]]}


def _note(fields: Mapping[str, Any]) -> Note:
    name, text = fields["name"], "\n".join(fields["texts"])
    if not text.strip():
        raise NotTakenError("it has no observations and no relations")
    return Note(name, name, text, tags=(fields["kind"],), created_at=fields["at"])


def _lines(document: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(document, dict) and "entities" in document:
        fields = cast("dict[str, Any]", document)
        for name, kind in (("entities", "entity"), ("relations", "relation")):
            for where, each in entries_of(fields.get(name), name):
                yield where, {**fields_of(each), "type": kind}
        return
    yield from records_of(document)


def _observations(value: Any) -> tuple[list[str], int | None]:
    """Return (texts of observations, earliest time)."""
    given = cast("list[Any]", value) if isinstance(value, list) else [value]
    texts = [text for each in given if (text := in_words(each).strip())]
    times = [time_of(fields_of(each).get(key)) for each in given for key in ("createdAt", "created_at", "timestamp")]
    return texts, min((at for at in times if at), default=None)


IMPORTER: Final = Records(SOURCE, _recognises, _note, _items)
