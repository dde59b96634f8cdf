"""`decide`: record a person's decision on older memories."""

from typing import Final

from palimp_daemon.features.memories.linking import add_links, links_named
from palimp_daemon.features.memories.memory_names import one_named
from palimp_daemon.features.memories.moving import move_rows
from palimp_daemon.features.memories.recording import recording
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import GLOBAL_PROJECT
from palimp_daemon.store.tables.memory_links import links_among, undo_link
from palimp_daemon.store.tables.memory_rows import shown_id
from palimp_daemon.store.tables.wishes import end_wish, wishes_among
from palimp_protocol.messages.links import Decide, Decided
from palimp_protocol.messages.memory_messages import Similar

DECIDED_REASON: Final = "asked in the session"
"""The reason of links made by a person's answer."""


def decide(context: RequestContext, request: Decide) -> Decided:
    """Record *request* in a person's name.

    Raises:
        PalimpError: a memory is unknown, or a link would close a circle; nothing was recorded.
    """
    newer = one_named(context, request.newer)
    replaced = links_named(context, request.replaced, "replaces", "user", DECIDED_REASON)
    narrowed = links_named(context, request.narrowed, "narrows", "user", DECIDED_REASON)
    kept = [one_named(context, name) for name in request.kept]
    with recording(context, "decide", "user"):
        # A person's word stands against what was only inferred, whichever it is.
        for older in [*kept, *(aim.older for aim in narrowed)]:
            for each in links_among(context.store, [older.seq]):
                if each.said_by == "inferred" and (each.newer, each.older) == (newer.seq, older.seq):
                    undo_link(context.store, each.id, context.now_ms)
        linked = add_links(context, newer, [*replaced, *narrowed])
        if request.for_all and newer.seq in wishes_among(context.store, [newer.seq]):
            move_rows(context.store, [newer], GLOBAL_PROJECT)
        elif request.for_all is False:
            end_wish(context.store, [newer.seq])
    return Decided(linked=linked, kept=[Similar(shown_id(row), row.title) for row in kept])
