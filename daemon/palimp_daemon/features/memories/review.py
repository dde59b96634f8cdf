"""`review`: proposals, which capture found and nobody confirmed yet, are kept, dropped or listed."""

from palimp_daemon.features.memories.names import named
from palimp_daemon.features.memories.recall_answer import RecallRows, answer
from palimp_daemon.features.memories.recording import recording
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import project_row
from palimp_daemon.store.tables.memories import Row, rows_by_seq, set_purged, shown_id
from palimp_daemon.store.tables.proposals import (
    confirm,
    count_waiting,
    note_reviewed,
    proposed_among,
    waiting_in,
)
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.memories import Recall, Similar
from palimp_protocol.messages.review import Review, Reviewed


def review(context: RequestContext, request: Review) -> Reviewed:
    """Keep and drop what *request* names, and return what waits still.

    Raises:
        PalimpError: the same is to be kept and to be dropped.
    """
    kept, unknown = named(context, request.keep)
    dropped, unknown_too = named(context, request.drop)
    if both := {row.seq for row in kept} & {row.seq for row in dropped}:
        shown = ", ".join(shown_id(row) for row in kept if row.seq in both)
        raise PalimpError(ErrorCode.BAD_REQUEST, f"{shown}: in both keep and drop.", "Nothing was changed.")
    asked = [*kept, *dropped]
    waiting = _waiting(context, asked)
    with recording(context, "review"):
        confirm(context.store, [row.seq for row in kept if row.seq in waiting])
        for row in dropped:
            if row.seq in waiting:
                set_purged(context.store, row.seq, context.now_ms)
    for project in sorted({row.project_id for row in asked}):
        note_reviewed(context.store, project)
    left, total = _left(context, request.limit)
    return Reviewed(
        proposals=answer(context, Recall(), RecallRows(left, total), "full").memories,
        total=total,
        kept=[Similar(shown_id(row), row.title) for row in kept if row.seq in waiting],
        dropped=[Similar(shown_id(row), row.title) for row in dropped if row.seq in waiting],
        unknown=[*unknown, *unknown_too],
        unchanged=[shown_id(row) for row in asked if row.seq not in waiting],
    )


def _waiting(context: RequestContext, asked: list[Row]) -> set[int]:
    """Return the numbers of those of *asked* that wait to be confirmed."""
    standing = [row.seq for row in asked if row.deleted_at is None and row.superseded_by is None]
    return proposed_among(context.store, standing)


def _left(context: RequestContext, limit: int) -> tuple[list[Row], int]:
    """Return the last *limit* proposals of the caller's project, and how many there are."""
    project = project_row(context.store, context.caller)
    if project is None:
        return [], 0
    return rows_by_seq(context.store, waiting_in(context.store, project, limit)), count_waiting(context.store, project)
