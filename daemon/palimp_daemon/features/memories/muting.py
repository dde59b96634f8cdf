"""`mute`: withhold memories from sessions, but not from searches."""

from collections.abc import Sequence

from palimp_daemon.features.memories.memory_names import refuse_what_does_not_hold, rows_of_names
from palimp_daemon.features.memories.recording import recording
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import scope_rows
from palimp_daemon.store.tables.memory_rows import Row, rows_by_seq, shown_id
from palimp_daemon.store.tables.mutes import count_muted, mute, muted_among, muted_in, unmute
from palimp_daemon.store.tables.pins import unpin
from palimp_protocol.errors import RequestError
from palimp_protocol.limits import MUTES_MAX
from palimp_protocol.messages.links import MarkedMemory, Mute, Muted
from palimp_protocol.messages.memory_messages import Similar


def mute_memories(context: RequestContext, request: Mute) -> Muted:
    """Mute, unmute or list memories; muting unpins.

    Raises:
        PalimpError: MUTES_MAX is exceeded, a memory is replaced or purged, or nothing is named to unmute.
    """
    if not request.ids:
        return _list_muted(context, request)
    rows, unknown = rows_of_names(context, request.ids)
    seqs = [row.seq for row in rows]
    before = muted_among(context.store, seqs)
    changed = [row for row in rows if (row.seq in before) == request.off]
    if request.off:
        with recording(context, "unmute"):
            unmute(context.store, seqs)
    else:
        _mute(context, rows)
    return Muted(
        memories=[Similar(shown_id(row), row.title) for row in changed],
        unknown=unknown,
        unchanged=[shown_id(row) for row in rows if row not in changed],
    )


def _mute(context: RequestContext, rows: Sequence[Row]) -> None:
    refuse_what_does_not_hold(context, rows, "Nothing was muted.", ", and never shown unasked")
    with recording(context, "mute"):
        mute(context.store, [row.seq for row in rows], context.now_ms)
        unpin(context.store, [row.seq for row in rows])
    for project in sorted({row.project_id for row in rows}):
        if (count := count_muted(context.store, [project])) > MUTES_MAX:
            text = f"{count:,} memories would be muted; {MUTES_MAX} of a project can be."
            hint = "Nothing was muted: `palimp mute --off ID` frees a place, and `palimp delete ID` hides one."
            raise RequestError(text, hint)


def _list_muted(context: RequestContext, request: Mute) -> Muted:
    if request.off:
        raise RequestError("--off needs at least one id.", "`palimp mute` lists them.")
    projects = scope_rows(context.store, context.caller, "all")
    muted = muted_in(context.store, projects, MUTES_MAX)
    rows = rows_by_seq(context.store, [*muted])
    return Muted(
        muted=[MarkedMemory(id=shown_id(row), title=row.title, at=muted[row.seq]) for row in rows],
        total=count_muted(context.store, projects),
    )
