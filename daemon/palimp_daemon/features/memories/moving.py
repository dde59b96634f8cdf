"""`move`: move memories into the global scope or another project."""

from collections.abc import Sequence

from palimp_daemon.features.memories.memory_names import refuse_what_does_not_hold, rows_of_names
from palimp_daemon.features.memories.recording import recording, require_person
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import GLOBAL_PROJECT, Store, ensure_project
from palimp_daemon.store.tables.memory_links import history_of
from palimp_daemon.store.tables.memory_rows import Row, rows_by_seq, shown_id
from palimp_daemon.store.tables.moves import set_project
from palimp_daemon.store.tables.mutes import count_muted
from palimp_daemon.store.tables.pins import pinned_in
from palimp_daemon.store.tables.proposals import confirm
from palimp_daemon.store.tables.wishes import end_wish
from palimp_protocol.errors import RequestError
from palimp_protocol.limits import MUTES_MAX, PINS_MAX
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.links import Move, Moved
from palimp_protocol.messages.memory_messages import Similar

NOTHING_MOVED = "Nothing was moved."


def move_memories(context: RequestContext, request: Move) -> Moved:
    """Move the named memories and their former versions, confirming proposals.

    Raises:
        PalimpError: an agent asks, no place is named, a memory is replaced or purged, or the target has too many pins
            or mutes.
    """
    require_person(context.caller, "Only a person moves memories to other projects")
    if request.to_global == (request.target is not None):
        raise RequestError("Name a project, or the global scope.", NOTHING_MOVED)
    rows, unknown = rows_of_names(context, request.ids)
    refuse_what_does_not_hold(context, rows, NOTHING_MOVED)
    target = ensure_project(context.store, Caller(request.target), context.now_ms)
    changed = [row for row in rows if row.project_id != target]
    with recording(context, "move"):
        move_rows(context.store, changed, target)
        end_wish(context.store, [row.seq for row in rows])
    _refuse_too_many(context.store, target)
    return Moved(
        memories=[Similar(shown_id(row), row.title) for row in changed],
        unknown=unknown,
        unchanged=[shown_id(row) for row in rows if row not in changed],
    )


def move_rows(store: Store, rows: Sequence[Row], target: int) -> None:
    """Move *rows* and their former versions to *target*, confirming them."""
    for row in rows:
        set_project(store, _with_former(store, row), target)
    confirm(store, [row.seq for row in rows])
    end_wish(store, [row.seq for row in rows])


def _with_former(store: Store, row: Row) -> Sequence[int]:
    versions = rows_by_seq(store, history_of(store, row.seq).versions)
    return [row.seq, *(each.seq for each in versions if each.project_id == row.project_id and each.superseded_by)]


def _refuse_too_many(store: Store, target: int) -> None:
    where = "for all projects" if target == GLOBAL_PROJECT else "in that project"
    for what, count, most in (
        ("pinned", len(pinned_in(store, [target])), PINS_MAX),
        ("muted", count_muted(store, [target]), MUTES_MAX),
    ):
        if count > most:
            text = f"{count:,} memories would be {what} {where}; {most} can be."
            raise RequestError(text, NOTHING_MOVED)
