"""Fold replaced memories under their successors in the rows of an answer.

About the present, the newest version stands for a found one ("until 27 May: …"); about the past, rows stay. Inferred
links fold nothing; memories that narrow or contradict keep their rows.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from palimp_daemon.store.tables.memory_links import MemoryLink

FOLDED_MAX: Final = 3
"""Older memories shown in one row, the newest; `palimp show` has all."""


class RowLinks(NamedTuple):
    """A memory's number, and the links of its row."""

    seq: int
    links: tuple[MemoryLink, ...] = ()


def rows_with_links(
    found: Sequence[int],
    holding: Mapping[int, int],
    links: Sequence[MemoryLink],
    *,
    of_the_past: bool = False,
    tells_all: bool = False,
) -> list[RowLinks]:
    """Return the rows of *found*, best first; *holding* maps each to its current version.

    A row names a replaced memory only if that was found itself, about the present only the first row; with *tells_all*,
    every row all.
    """
    order = list(found) if of_the_past else list(dict.fromkeys(holding.get(seq, seq) for seq in found))
    telling = set(order if of_the_past or tells_all else order[:1])
    asked_for = None if tells_all else set(found)
    return [
        RowLinks(seq, tuple(_links_to_tell(seq, links, set(order), asked_for if seq in telling else set())))
        for seq in order
    ]


def _links_to_tell(
    seq: int, links: Sequence[MemoryLink], shown: set[int], asked_for: set[int] | None
) -> list[MemoryLink]:
    """Return the links to its newest former versions, its successor, and memories that narrow or dispute."""
    made = [link for link in links if link.relation == "replaces" and link.said_by != "inferred"]
    older: dict[int, MemoryLink] = {}
    reached = {seq}
    while new := [link for link in made if link.newer in reached and link.older not in reached]:
        older |= {link.older: link for link in new}
        reached |= {link.older for link in new}
    told = [
        link
        for link in sorted(older.values(), key=lambda link: (-link.at, -link.id))
        if link.older not in shown and (asked_for is None or link.older in asked_for)
    ]
    replaced = [link for link in made if link.older == seq]
    others = [link for link in links if link.relation != "replaces" and seq in (link.newer, link.older)]
    return [*told[:FOLDED_MAX], *replaced[-1:], *others]


def newest_by_links(links: Sequence[MemoryLink]) -> dict[int, int]:
    """Map each memory replaced in *links* to its last successor."""
    replacing: dict[int, int] = {}
    for link in sorted(links, key=lambda link: (link.at, link.id)):
        if link.relation == "replaces" and link.said_by != "inferred":
            replacing[link.older] = link.newer
    holding: dict[int, int] = {}
    for older in replacing:
        end, passed = older, {older}
        while (newer := replacing.get(end)) is not None and newer not in passed:
            passed.add(newer)
            end = newer
        holding[older] = end
    return holding
