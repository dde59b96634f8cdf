"""Fold what was replaced under what replaced it: which memories of an answer get a row, and what each tells.

About the present, the newest version stands for an older one that was found ("until 27 May: …"); about the past, rows
stay as found. Inferred links fold nothing; memories that narrow or contradict keep their rows.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from palimp_daemon.store.tables.memory_links import MemoryLink

FOLDED_MAX: Final = 3
"""Older memories told in one row, the newest; `palimp show` tells all."""


class RowLinks(NamedTuple):
    """A row of an answer: a memory's number, and those of its links that the row names."""

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
    """Return the rows of the memories *found*, best first.

    *holding* tells of each what holds in its place now; *links* are those of all these, and of what they replaced. What
    a row replaced is told where it was found itself, since it answers, too: of the present by the first row alone, the
    likeliest to be asked about next; with *tells_all* in any case.
    """
    order = list(found) if of_the_past else list(dict.fromkeys(holding.get(seq, seq) for seq in found))
    telling = set(order if of_the_past or tells_all else order[:1])
    asked_for = None if tells_all else set(found)
    return [
        RowLinks(seq, tuple(_told(seq, links, set(order), asked_for if seq in telling else set()))) for seq in order
    ]


def _told(seq: int, links: Sequence[MemoryLink], shown: set[int], asked_for: set[int] | None) -> list[MemoryLink]:
    """Of what it replaced, and what that replaced, the newest; what replaced it; and what narrows or disagrees."""
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
    """Map each memory replaced in *links* to the end of its chain of replacements."""
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
