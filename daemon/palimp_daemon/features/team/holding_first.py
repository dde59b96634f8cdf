"""Choose operations to apply first after a long absence: current memories, newest first.

All are read again in order, without effect.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Final, TypeVar

from palimp_daemon.features.team.stamps import NEVER
from palimp_daemon.features.team.team_operation import Line, TeamOperation
from palimp_daemon.features.team.transport import PAGE_BYTES_MAX

T = TypeVar("T")

MANY: Final = 1_000
"""Unread operations from which the newest are read first; fewer take seconds."""

TAKEN_MAX: Final = 1_000
"""Operations read first: a second's work, more than a session is ever shown."""

TAKEN_BYTES_MAX: Final = 4 * PAGE_BYTES_MAX
"""Bytes of those operations: the largest would make a quarter of a gigabyte."""

REPLICAS_MAX: Final = 50
"""Replicas whose newest operations are read: a page of each."""

Read = Callable[[str, int, int], list[Line]]


def last_lines(read: Read, unread: Mapping[str, tuple[int, int]], page: int) -> list[list[Line]]:
    """Return the last operations, a *page* each, of *unread* {replica: (after, up to)}."""
    ends: list[list[Line]] = []
    left = TAKEN_BYTES_MAX
    for replica, (after, last) in sorted(unread.items(), key=lambda each: each[1][0] - each[1][1])[:REPLICAS_MAX]:
        count = max(page, TAKEN_MAX // len(unread))
        start, lines = max(after, last - count), list[Line]()
        while start < last and (found := read(replica, start, page)):
            lines += found
            left -= sum(len(line.body) for line in found)
            start = found[-1].counter
            if left < 0:
                return ends
        ends.append(lines)
    return ends


def holding_first(ends: Sequence[Sequence[tuple[TeamOperation, T]]], is_whole: Sequence[bool]) -> list[T]:
    """Return the operations of *ends*, the last ones of each replica, to apply first, in order.

    Memories precede changes, newest first. *is_whole* tells of each end that nothing precedes it: unknown operations
    may have changed memories older than another end's first.
    """
    starts = [end[0][0].stamp if end and not whole else NEVER for end, whole in zip(ends, is_whole, strict=True)]
    known = [each for end in ends for each in end if each[0].stamp >= max(starts, default=NEVER)]
    known = sorted(known, key=lambda each: each[0].stamp)[-TAKEN_MAX:]
    last = {(operation.id, operation.field): operation for operation, _ in known}
    gone = {each.id for each in last.values() if each.kind in ("purge", "erase")}
    gone |= {each.older for each in last.values() if each.kind == "link" and each.relation == "replaces"}
    texts = [
        each
        for operation, each in reversed(known)
        if operation.kind == "put" and operation.id not in gone and last[operation.id, "put"] is operation
    ]
    return [*texts, *(each for operation, each in known if operation.kind not in ("put", "merge", "cleared"))]
