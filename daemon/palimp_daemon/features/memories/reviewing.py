"""`review`: keep, drop or list memories that wait for confirmation.

These are proposals, agents' global memories, and rules often broken by the user's wish.
"""

from collections.abc import Sequence

from msgspec.structs import replace

from palimp_daemon.features.memories.memory_names import rows_of_names
from palimp_daemon.features.memories.moving import move_rows
from palimp_daemon.features.memories.recall_answer import RecallRows, answer
from palimp_daemon.features.memories.recording import author_of, recording, require_person
from palimp_daemon.features.memories.superseding import link_name
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import GLOBAL_PROJECT, project_row, scope_rows
from palimp_daemon.store.tables.memory_links import disputes_in
from palimp_daemon.store.tables.memory_rows import Row, rows_by_seq, set_purged, shown_id
from palimp_daemon.store.tables.proposals import (
    confirm,
    count_waiting,
    note_reviewed,
    proposed_among,
    waiting_in,
)
from palimp_daemon.store.tables.rule_counts import doubts_among, end_doubt
from palimp_daemon.store.tables.wishes import end_wish, wishes_among
from palimp_protocol.errors import ErrorCode, PalimpError, RequestError
from palimp_protocol.limits import REVIEWED_MAX
from palimp_protocol.messages.memory_messages import Recall, Similar
from palimp_protocol.messages.review_messages import Dispute, Review, Reviewed

NOTHING_CHANGED = "Nothing was changed."


def review(context: RequestContext, request: Review) -> Reviewed:
    """Keep and drop the named memories; return the waiting ones.

    A dropped global memory stays in its project, unless it was a proposal.

    Raises:
        PalimpError: a memory is named twice, or an agent keeps a global one.
    """
    store = context.store
    kept, unknown = rows_of_names(context, request.keep)
    here, unknown_here = rows_of_names(context, request.here)
    dropped, unknown_dropped = rows_of_names(context, request.drop)
    asked = [*kept, *here, *dropped]
    if both := {row.seq for row in asked if [each.seq for each in asked].count(row.seq) > 1}:
        shown = ", ".join(shown_id(row) for row in rows_by_seq(store, sorted(both)))
        raise RequestError(f"{shown}: named twice.", NOTHING_CHANGED)
    standing = [row.seq for row in asked if row.deleted_at is None and row.superseded_by is None]
    proposed, wished = proposed_among(store, standing), wishes_among(store, standing)
    doubted = {*doubts_among(store, standing)}
    waiting = proposed | wished | doubted
    kept, here, dropped = ([row for row in rows if row.seq in waiting] for rows in (kept, here, dropped))
    for_all = [row for row in kept if row.seq in wished]
    in_doubt = [row for row in (*kept, *here, *dropped) if row.seq in doubted]
    for row in for_all:
        require_person(context.caller, f"Only a person keeps {shown_id(row)} for all projects")
    for row in in_doubt:
        require_person(context.caller, f"Only a person says whether {shown_id(row)} still holds")
    if context.saves_wait and author_of(context.caller) == "agent":
        refuse_unconfirmed(context, [*kept, *here])
    with recording(context, "review"):
        move_rows(store, for_all, GLOBAL_PROJECT)
        confirm(store, [row.seq for row in (*kept, *here)])
        end_wish(store, [row.seq for row in (*here, *dropped)])
        end_doubt(store, [row.seq for row in in_doubt])
        for row in dropped:
            if row.seq in proposed | doubted:
                set_purged(store, row.seq, context.now_ms)
    for project in sorted({row.project_id for row in asked}):
        note_reviewed(store, project)
    left, total = _waiting_rows(context, request.limit)
    doubts = doubts_among(store, [row.seq for row in left])
    shown = answer(context, Recall(), RecallRows(left, total), "full").memories
    return Reviewed(
        disputes=_disputes(context) if request.disputes else [],
        proposals=[replace(memory, overruled=doubts.get(row.seq, 0)) for row, memory in zip(left, shown, strict=True)],
        total=total,
        kept=[Similar(shown_id(row), row.title) for row in kept],
        kept_here=[Similar(shown_id(row), row.title) for row in here],
        dropped=[Similar(shown_id(row), row.title) for row in dropped],
        unknown=[*unknown, *unknown_here, *unknown_dropped],
        unchanged=[shown_id(row) for row in asked if row.seq not in waiting],
    )


def refuse_unconfirmed(context: RequestContext, rows: Sequence[Row]) -> None:
    """Refuse an agent to confirm *rows* while saves wait for a yes.

    Raises:
        PalimpError: one of them is a proposal.
    """
    if proposed := proposed_among(context.store, [row.seq for row in rows]):
        shown = ", ".join(shown_id(row) for row in rows if row.seq in proposed)
        text = f"{shown}: only a person confirms it, as save.review says."
        raise PalimpError(ErrorCode.REFUSED, text, f"{NOTHING_CHANGED} The user runs `palimp review`.")


def _disputes(context: RequestContext) -> list[Dispute]:
    links = disputes_in(context.store, scope_rows(context.store, context.caller, "all"), REVIEWED_MAX)
    rows = rows_by_seq(context.store, sorted({seq for link in links for seq in (link.newer, link.older)}))
    told = answer(context, Recall(), RecallRows(rows, len(rows)), "full").memories
    shown = {row.seq: memory for row, memory in zip(rows, told, strict=True)}
    return [
        Dispute(
            link=link_name(link.id),
            newer=shown[link.newer],
            older=shown[link.older],
            said_by=link.said_by,
            said=link.said,
        )
        for link in links
    ]


def _waiting_rows(context: RequestContext, limit: int) -> tuple[list[Row], int]:
    project = project_row(context.store, context.caller) or GLOBAL_PROJECT
    return rows_by_seq(context.store, waiting_in(context.store, project, limit)), count_waiting(context.store, project)
