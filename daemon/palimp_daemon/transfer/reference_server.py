"""The file of the reference memory server (`@modelcontextprotocol/server-memory`): a graph, one JSON object per line.

An entity with its observations, and the relations it is in, becomes a memory.
"""

import json
from collections import defaultdict
from pathlib import Path
from typing import Any, Final, cast

from palimp_daemon.plain_files import open_plain
from palimp_daemon.transfer.incoming import Batch, Incoming, in_pieces
from palimp_protocol.limits import IMPORT_FILE_BYTES_MAX

SOURCE: Final = "server-memory"


def batch_of(path: Path, place: int, limit: int) -> Batch:
    """Return *limit* entities from the one numbered *place* on.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is too long.
    """
    entities, relations, skipped = _graph(path)
    records: list[Incoming] = []
    for name, kind, observations in entities[place : place + limit]:
        lines = [*observations, *(f"{name} {how} {other}" for how, other in relations[name])]
        pieces = list(in_pieces("\n".join(lines)))
        if not pieces:
            skipped.append(f"{name}: it has no observations and no relations.")
        records += [
            Incoming(
                origin=f"{SOURCE}:{name}:{number}:{piece}",
                title=name if len(pieces) == 1 else f"{name} ({number + 1} of {len(pieces)})",
                content=piece,
                tags=(kind,) if kind else (),
                source=SOURCE,
            )
            for number, piece in enumerate(pieces)
        ]
    end = min(place + limit, len(entities))
    # What is wrong with lines is told once, with the first batch.
    return Batch(records, skipped if not place else [], end if end < len(entities) else None, end, len(entities))


def _graph(path: Path) -> tuple[list[tuple[str, str, list[str]]], defaultdict[str, list[tuple[str, str]]], list[str]]:
    entities: list[tuple[str, str, list[str]]] = []
    relations: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    skipped: list[str] = []
    with open_plain(path) as stream:
        data = stream.read(IMPORT_FILE_BYTES_MAX + 1)
    if len(data) > IMPORT_FILE_BYTES_MAX:
        raise ValueError(f"it has more than {IMPORT_FILE_BYTES_MAX:,} bytes")
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), 1):
        if not line.strip():
            continue
        match _loaded(line):
            case {"type": "entity", "name": str(name), "entityType": kind, "observations": observations}:
                texts = (
                    [str(text) for text in cast("list[Any]", observations)] if isinstance(observations, list) else []
                )
                entities.append((name, str(kind), texts))
            case {"type": "relation", "from": str(one), "to": str(other), "relationType": how}:
                relations[one].append((str(how), other))
            case _:
                skipped.append(f"line {number}: it is no entity and no relation.")
    return entities, relations, skipped


def _loaded(line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError):
        return None
