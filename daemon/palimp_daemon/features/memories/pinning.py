"""`pin`: memories told when a session starts."""

from palimp_daemon.features.memories.memory_names import refuse_what_does_not_hold, rows_of_names
from palimp_daemon.features.memories.recording import author_of, recording
from palimp_daemon.features.memories.reviewing import refuse_unconfirmed
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import scope_rows
from palimp_daemon.store.tables.memory_rows import rows_by_seq, shown_id
from palimp_daemon.store.tables.mutes import unmute
from palimp_daemon.store.tables.pins import pin, pinned_in, unpin
from palimp_daemon.store.tables.proposals import confirm
from palimp_protocol.errors import RequestError
from palimp_protocol.limits import PINS_MAX
from palimp_protocol.messages.links import MarkedMemory, Pin, Pinned
from palimp_protocol.messages.memory_messages import Similar


def pin_memories(context: RequestContext, request: Pin) -> Pinned:
    """Pin, unpin or list memories; pinning unmutes.

    Raises:
        PalimpError: more than fit a session's start, a memory is replaced or purged, or nothing is named to unpin.
    """
    if not request.ids:
        return _list_of_pins(context, request)
    rows, unknown = rows_of_names(context, request.ids)
    if not request.off:
        refuse_what_does_not_hold(context, rows, "Nothing was pinned.")
        if context.saves_wait and author_of(context.caller) == "agent":
            refuse_unconfirmed(context, rows)
    projects = sorted({row.project_id for row in rows})
    before = pinned_in(context.store, projects)
    changed = [row for row in rows if (row.seq in before) == request.off]
    with recording(context, "unpin" if request.off else "pin"):
        if request.off:
            unpin(context.store, [row.seq for row in changed])
        else:
            pin(context.store, [row.seq for row in changed], context.now_ms)
            confirm(context.store, [row.seq for row in changed])
            unmute(context.store, [row.seq for row in rows])
    for project in [] if request.off else projects:
        if (count := len(pinned_in(context.store, [project]))) > PINS_MAX:
            text = f"{count:,} memories would be pinned; {PINS_MAX} fit the start of a session."
            raise RequestError(text, "Nothing was pinned: palimp pin --off ID frees a place.")
    return Pinned(
        memories=[Similar(shown_id(row), row.title) for row in changed],
        unknown=unknown,
        unchanged=[shown_id(row) for row in rows if row not in changed],
    )


def _list_of_pins(context: RequestContext, request: Pin) -> Pinned:
    if request.off:
        raise RequestError("--off needs at least one id.", "`palimp pin` lists them.")
    pinned = pinned_in(context.store, scope_rows(context.store, context.caller, "all"))
    rows = rows_by_seq(context.store, [*pinned])
    return Pinned(pinned=[MarkedMemory(id=shown_id(row), title=row.title, at=pinned[row.seq]) for row in rows])
