"""`tags`: count each tag."""

from collections import Counter

from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import scope_rows
from palimp_daemon.store.tables import memory_rows
from palimp_protocol.messages.tag_messages import ListTags, TagCount, TagList


def list_tags(context: RequestContext, request: ListTags) -> TagList:
    """Return the tags of unpurged memories, most frequent first."""
    counts: Counter[str] = Counter()
    for tags in memory_rows.tags_in(context.store, scope_rows(context.store, context.caller, request.scope)):
        counts.update(tags.split())
    ranked = sorted(counts.items(), key=lambda each: (-each[1], each[0]))
    return TagList(tags=[TagCount(tag=tag, count=count) for tag, count in ranked[: request.limit]], total=len(ranked))
