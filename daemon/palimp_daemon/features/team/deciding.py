"""Decisions of a team, as functions of values."""

import re
from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from palimp_daemon.features.team.stamps import NEVER

_HOMES: Final = re.compile(r"(?<![\w/.~-])(?:/home|/Users|[A-Za-z]:\\Users)[/\\][^/\\\s\"'`:]+")


def without_machine(text: str, root: str) -> str:
    """Return *text* with paths relative to *root*, without home folders."""
    if len(root) > 1 and root in text:
        text = re.sub(rf"(?<![\w/.-]){re.escape(root)}/(?=\S)", "", text)
        text = re.sub(rf"(?<![\w/.-]){re.escape(root)}(?![\w/.-])", ".", text)
    return _HOMES.sub("~", text) if "home" in text or "Users" in text else text


class Known(NamedTuple):
    """A value that all replicas heard last."""

    stamp: str
    value: str


def changed_fields(current: Mapping[str, str], known: Mapping[str, Known], *, may_leave: bool) -> list[str]:
    """Return the fields of a memory to send, in order.

    A memory purged before its first sending has none, nor one never sent that may not leave.
    """
    changed = [name for name, value in current.items() if value != (known[name].value if name in known else "")]
    if "put" not in known and (not may_leave or current["purged"]):
        return []
    return [name for name in changed if name != "put" or may_leave]


def holds(stamp: str, known: Known | None, *, is_changed_here: bool, changed_at: str) -> bool:
    """Tell whether an arriving value with *stamp* replaces the local one.

    *is_changed_here*: the local one is not the last heard; *changed_at* is its stamp, or `NEVER`, later than all.
    """
    if known and known.stamp >= stamp:
        return False
    return not is_changed_here or NEVER != changed_at < stamp


class Arrow(NamedTuple):
    """A link between ids of memories, with its stamp."""

    stamp: str
    newer: str
    older: str


def without_circles(arrows: Collection[Arrow]) -> set[Arrow]:
    """Return the *arrows* that hold: of a circle, all but the latest."""
    held: dict[str, set[str]] = {}
    kept: set[Arrow] = set()
    for arrow in sorted(arrows):
        if not _reaches(held, arrow.older, arrow.newer):
            held.setdefault(arrow.newer, set()).add(arrow.older)
            kept.add(arrow)
    return kept


def _reaches(held: Mapping[str, Collection[str]], start: str, end: str) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        each = waiting.pop()
        if each == end:
            return True
        following = [other for other in held.get(each, ()) if other not in seen]
        seen.update(following)
        waiting += following
    return False


def first_difference(own: Mapping[int, bytes], found: Mapping[int, bytes]) -> int | None:
    """Return the first counter at which *found* differs from the replica's *own*, or None.

    A difference means that counters were used twice: it was copied, or restored.
    """
    return min((counter for counter, total in found.items() if own.get(counter) != total), default=None)
