"""Make and rate memories of operations that a server's search found.

The server trusts no replica, and is not trusted: an operation not of its own project, replica or number is dropped, and
only its author changes a text.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Final, NamedTuple, get_args

import msgspec
from msgspec.structs import replace

from palimp_daemon.features.team.postgres_search import Found
from palimp_daemon.features.team.team_operation import KINDS, VERSION, TeamOperation, decode
from palimp_daemon.search.match_positions import SearchStems
from palimp_daemon.search.snippet import row_text
from palimp_daemon.search.stems import Stems
from palimp_daemon.search.telling_words import telling_words, telling_words_of_language
from palimp_daemon.search.terms import STOP_WORDS
from palimp_protocol.messages.memory_messages import Memory, MemoryKind, Recall, RowLink

_WORDS: Final = re.compile(r"\w+")

COVERED_MIN: Final = 0.5
"""Share of a question's significant words required of texts from elsewhere."""


class _Said(NamedTuple):
    operation: TeamOperation
    login: str


class Asked(NamedTuple):
    """A request, with the means to read texts."""

    request: Recall
    stems: Stems
    redact: Callable[[str], str]


def asked_words(query: str) -> str:
    """Return *query* without stop words: each costs the server a tenth of a second."""
    words = [word for word in _WORDS.findall(query) if word.lower() not in STOP_WORDS]
    return " ".join(words) or query


def memories_in(found: Sequence[Found], names: Mapping[str, str], asked: Asked) -> list[Memory]:
    """Return the memories in *found* that match, current ones first, then by rank.

    *names* maps keys to projects' names.
    """
    told = [row for row in _rows(found, names, asked) if (row.covered or 0.0) >= COVERED_MIN]
    return sorted(told, key=lambda each: (bool(each.links), -(each.covered or 0.0), -each.created_at))


def memories_with_ids(
    found: Sequence[Found], names: Mapping[str, str], ids: Collection[str], asked: Asked
) -> list[Memory]:
    """Return the memories *ids* in *found*."""
    return [row for row in _rows(found, names, asked) if row.id in ids]


def _rows(found: Sequence[Found], names: Mapping[str, str], asked: Asked) -> list[Memory]:
    by_memory: defaultdict[str, list[_Said]] = defaultdict(list)
    replaced: defaultdict[str, list[TeamOperation]] = defaultdict(list)
    for said in filter(None, map(_operation_in, found)):
        by_memory[said.operation.id].append(said)
        if said.operation.relation == "replaces":
            replaced[said.operation.older].append(said.operation)
    told: list[Memory] = []
    for memory, operations in by_memory.items():
        put = _text_of(operations)
        if put and (row := _row(put, asked)):
            name = names.get(put.operation.project) or put.operation.project[:8]
            links = _link_to_newer(replaced[memory], by_memory)
            told.append(replace(row, project=name, links=links))
    return told


def _operation_in(found: Found) -> _Said | None:
    try:
        operation = decode(found.body)
    except msgspec.DecodeError:
        return None
    if operation.version > VERSION or operation.kind not in KINDS:
        return None
    its = (operation.project, operation.replica, operation.counter)
    return _Said(operation, found.login) if its == (found.project, found.replica, found.counter) else None


def _text_of(operations: Sequence[_Said]) -> _Said | None:
    """Return the last text by the author; None if deleted or erased."""
    puts = sorted((each for each in operations if each.operation.kind == "put"), key=_stamp)
    if not puts or any(each.operation.kind == "erase" for each in operations):
        return None
    deleted = sorted((each for each in operations if each.operation.field == "purged"), key=_stamp)
    if deleted and deleted[-1].operation.kind == "purge":
        return None
    return [each for each in puts if each.login == puts[0].login][-1]


def _stamp(said: _Said) -> str:
    return said.operation.stamp


def _link_to_newer(links: Sequence[TeamOperation], by_memory: Mapping[str, Sequence[_Said]]) -> list[RowLink]:
    last = {each.id: each for each in sorted(links, key=lambda each: each.stamp)}
    held = [each for each in last.values() if each.kind == "link"][-1:]
    newer = [_text_of(by_memory.get(each.id, ())) for each in held]
    return [
        RowLink(
            relation="replaced by",
            id=link.id,
            title=put.operation.title if put else "",
            at=link.at,
            said_by=link.said_by or "user",
        )
        for link, put in zip(held, newer, strict=True)
    ]


def _row(put: _Said, asked: Asked) -> Memory | None:
    request, stems, operation = asked.request, asked.stems, put.operation
    title, text, tags = (asked.redact(each).strip() for each in (operation.title, operation.text, operation.tags))
    words = telling_words_of_language(request.query or "", stems)
    said = f"{title} {text} {tags}"
    found_by = stems.found_by(said) | telling_words(said, stems)  # the second has pairs of unspaced characters
    covered = len(words & found_by) / len(words) if words else 0.0
    is_wanted = (request.kind or operation.about) == operation.about and {*request.tags} <= {*tags.split()}
    if not (text and is_wanted):
        return None
    is_full = request.detail == "full"
    shown = row_text(title, text, tags, SearchStems(words, ()), stems, request.mark)
    return Memory(
        id=operation.id,  # whole: it is not here, where its beginning might mean another
        title=title,
        kind=operation.about if operation.about in get_args(MemoryKind) else "note",  # pyright: ignore[reportArgumentType]  it is one
        created_at=operation.at,
        covered=round(covered, 2),
        line="" if is_full else shown.line,
        snippet="" if is_full else shown.snippet,
        content=text if is_full else msgspec.UNSET,
        tags=tags.split(),
        source="team",
        author=put.login or operation.by,
    )
