"""detail=timeline: memories and their neighbours by day, oldest first."""

from collections.abc import Sequence
from itertools import groupby

from palimp_daemon.render.times import local_time
from palimp_protocol.messages.memory_messages import Moment
from palimp_protocol.text import one_line

HIT = "▸"
"""Marks the requested row; others were saved beside it."""


def timeline_lines(moments: Sequence[Moment]) -> list[str]:
    """Return the lines of a timeline: a day, then its moments."""
    lines: list[str] = []
    for day, on_that_day in groupby(moments, key=lambda moment: local_time(moment.memory.created_at, "%Y-%m-%d %A")):
        lines.append(day)
        lines += [_line(moment) for moment in on_that_day]
    return lines


def _line(moment: Moment) -> str:
    memory = moment.memory
    mark = HIT if moment.is_hit else " "
    purged = " [purged]" if memory.purged_at else ""
    kind = "" if memory.kind == "note" else f" ({memory.kind})"
    title = one_line(memory.line or memory.title)
    text = f"  {local_time(memory.created_at, '%H:%M')} {mark} {memory.id}  {title}{kind}{purged}"
    text += f" · {one_line(memory.stale)}" if memory.stale else ""
    has_snippet = moment.is_hit and memory.snippet and not memory.line
    return f"{text}\n           {one_line(memory.snippet)}" if has_snippet else text
