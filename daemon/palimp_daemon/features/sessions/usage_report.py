"""`usage`: given and used texts by week, moment and client."""

from typing import Final

from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import project_row
from palimp_daemon.store.tables.memory_rows import rows_by_seq, shown_id
from palimp_daemon.store.tables.sessions.daily_measures import file_sizes_since, hook_times_since
from palimp_daemon.store.tables.sessions.usage_counts import (
    saved_since,
    usage_since,
    used_most,
    week_of,
    weekly_total,
)
from palimp_protocol.limits import CHARACTERS_PER_TOKEN
from palimp_protocol.messages.usage_messages import Usage, UsageReport, UsedMemory
from palimp_protocol.text import count_of

MEMORIES_SHOWN: Final = 10
"""Used memories that are shown, the first."""

_WEEK_MS: Final = 7 * 86_400_000


def report_usage(context: RequestContext, request: Usage) -> UsageReport:
    """Report the usage of the caller's project, or of all."""
    project = None if request.everywhere else project_row(context.store, context.caller)
    since_ms = context.now_ms - (request.weeks - 1) * _WEEK_MS
    since = week_of(since_ms)
    hooks, sizes = hook_times_since(context.store, since), file_sizes_since(context.store, since)
    if project is None and not request.everywhere:
        return UsageReport(hooks=hooks, sizes=sizes)
    most = used_most(context.store, project, MEMORIES_SHOWN)
    rows = {row.seq: row for row in rows_by_seq(context.store, sorted(seq for seq, _, _ in most))}
    return UsageReport(
        counts=usage_since(context.store, project, since_ms),
        saved=saved_since(context.store, project, since_ms),
        memories=[
            UsedMemory(id=shown_id(rows[seq]), title=rows[seq].title, given=given, used=used)
            for seq, given, used in most
            if seq in rows
        ],
        hooks=hooks,
        sizes=sizes,
    )


def usage_sentence(context: RequestContext) -> str:
    """Return a sentence on this week's usage, for `health`, or an empty one."""
    total = weekly_total(context.store, context.now_ms)
    if not total.times:
        return ""
    tokens = f"{total.characters // CHARACTERS_PER_TOKEN:,} tokens in {count_of(total.times, 'text')}"
    memories = f"{count_of(total.memories, 'memory')}, of which {total.used:,} used"
    return f"{tokens} this week, {memories}, in all projects (`palimp usage --all`)"
