"""`palimp usage`: palimp's cost in tokens, and its use."""

from collections.abc import Mapping
from datetime import date, timedelta
from typing import Final

from palimp_protocol.limits import USAGE_WEEKS_MAX
from palimp_protocol.messages.usage_messages import HOOKS_AT, Moment, UsageCount, UsageReport
from palimp_protocol.text import count_of, one_line, shown_name
from palimp_shim.cli.command import Invocation, argument, command, flag
from palimp_shim.cli.output import print_line, print_remark, print_rows, styles
from palimp_shim.cli.parsing import number
from palimp_shim.cli.tables import Column, is_terminal

MOMENTS: Final[Mapping[Moment, str]] = {
    "start": "at a session's start",
    "prompt": "with a prompt",
    "silent": "nothing with a prompt",
    "action": "before an act",
    "subagent": "at a subagent's start",
    "asked": "searched for",
    "nothing": "searched, found nothing",
    "opened": "opened by id",
    "tools": "other tools",
}

ASKED: Final[tuple[Moment, ...]] = ("asked", "nothing", "opened", "tools")

ROWS_MAX: Final = 60
"""Rows of one table, the newest; `--json` has all."""


@command(
    "usage",
    "Show what palimp costs agents and what it brings, by week (from Monday, in UTC), client and moment: how often,"
    " tokens that sessions were given, memories in them, and how many of those were used: the agent opened it by its"
    " id, or wrote words of it in the same turn that it had not from the prompt. That counts, it does not prove. Then"
    " the memories that were used most in the last 90 days; --json also has how long hooks of all projects took and how"
    " large the databases were, by day. Exits with 1 when nothing was counted.",
    argument("--weeks", type=number(1, USAGE_WEEKS_MAX), metavar="N", help="weeks, this one too (default 4)"),
    flag("--all", "of all projects", dest="everywhere"),
    example="palimp usage; palimp usage --weeks 12 --all --json",
)
def run(typed: Invocation) -> int:
    """Print counts and used memories."""
    reply: UsageReport = typed.answer()
    if typed.is_json:
        return 0 if reply.counts else 1
    if not reply.counts:
        print_line("Nothing was given to a session here in that time.")
        return 1
    bold, _, plain = styles()
    columns = [Column("week"), Column("client", "cyan"), Column("moment", is_text=True)]
    columns += [Column(name, is_number=True) for name in ("times", "tokens", "memories", "used")]
    rows = [_row(each) for each in in_order(reply.counts)]
    print_rows(columns, rows[:ROWS_MAX], of_counts=True)
    if len(rows) > ROWS_MAX:
        print_remark(f"{len(rows) - ROWS_MAX:,} more rows; --weeks 1 shows this week, --json all.")
    for line in (total_line(reply.counts), *measured_lines(reply)):
        print_remark(line)
    if reply.memories:
        if is_terminal():
            print_line(f"\n{bold}Used most{plain}, of the last 90 days; palimp mute ID stops one from being given")
        told = [[each.id, f"used {each.used} of {each.given}", one_line(each.title)] for each in reply.memories]
        print_rows([Column("id", "cyan"), Column("used"), Column("memory", is_text=True)], told)
    return 0


def in_order(counts: list[UsageCount]) -> list[UsageCount]:
    """Return *counts* by newest week, client and moment."""
    order = list(MOMENTS)
    return sorted(counts, key=lambda each: (-each.week, each.client, order.index(each.moment)))


def total_line(counts: list[UsageCount]) -> str:
    """Return the sum of *counts* in words."""
    asked = [each for each in counts if each.moment in ASKED]
    unasked = [each for each in counts if each not in asked]
    tokens = [f"{sum(each.tokens for each in some):,}" for some in (unasked, asked)]
    memories, used = sum(each.memories for each in unasked), sum(each.used for each in unasked)
    given = f"{tokens[0]} tokens were given unasked, {tokens[1]} when asked"
    return f"{given}; {count_of(memories, 'memory')} unasked, of which {used:,} used."


def measured_lines(reply: UsageReport) -> list[str]:
    """Return hooks' times of the last day, and databases' sizes."""
    lines: list[str] = []
    if reply.hooks:
        day = reply.hooks[-1].day
        last = [each for each in reply.hooks if each.day == day]
        times = [f"{HOOKS_AT[each.moment]} {each.p50_ms:,.1f} and {each.p95_ms:,.1f} ms" for each in last]
        lines.append(f"Hooks of all projects on {_date(day)}, half and 95 of 100 within: {', '.join(times)}.")
    if reply.sizes:
        first, last = (each.memories_bytes + each.conversations_bytes for each in (reply.sizes[0], reply.sizes[-1]))
        lines.append(f"Databases: {last / 1e6:,.1f} MB; {first / 1e6:,.1f} MB on {_date(reply.sizes[0].day)}.")
    return lines


def _row(each: UsageCount) -> list[str]:
    week = _date(each.week)
    used = "" if each.moment in (*ASKED, "subagent", "silent") else f"{each.used:,}"
    memories = f"{each.memories:,}" if each.memories else ""
    client = shown_name(each.client or "?")
    return [week, client, MOMENTS[each.moment], f"{each.times:,}", f"{each.tokens:,}", memories, used]


def _date(day: int) -> str:
    return (date(1970, 1, 1) + timedelta(days=day)).isoformat()
