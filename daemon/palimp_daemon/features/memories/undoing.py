"""`undo`: take back an act; that is an act, too.

Unnamed, it is a person's last act here, or the agent's session's, undos excepted; never an older one.
"""

from contextlib import nullcontext
from typing import Final

from msgspec.structs import replace

from palimp_daemon.features.memories.acts_list import (
    LIST_HINT,
    act_called,
    act_name,
    acts_about,
    no_such_act,
    told_act,
)
from palimp_daemon.features.memories.effects import effects_between, visible_states
from palimp_daemon.features.memories.memory_names import rows_of_names
from palimp_daemon.features.memories.recording import Doing, author_of, record
from palimp_daemon.features.memories.taking_back import PARTLY, Obstacle, Plan, plan_of, take_back
from palimp_daemon.features.memories.undo_refusals import NOTHING, left_as_is, refusal_of, still_replaced
from palimp_daemon.runtime.sql import rolled_back
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store, project_row
from palimp_daemon.store.tables.act_rows import (
    ActRow,
    last_acts_of_person,
    last_acts_of_session,
    set_undone,
)
from palimp_daemon.store.tables.memory_links import links_among, links_numbered
from palimp_daemon.store.tables.memory_rows import Row, rows_by_seq, shown_id
from palimp_daemon.store.tables.mutes import count_muted
from palimp_daemon.store.tables.pins import pinned_in
from palimp_daemon.store.tables.steps import noting
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import ACT_MEMORIES_SHOWN, MUTES_MAX, PINS_MAX
from palimp_protocol.messages.act_messages import Act, Undo, Undone
from palimp_protocol.text import count_of

LOOKED_AT: Final = 20
"""Earlier acts searched for one that can be undone instead."""


def undo(context: RequestContext, request: Undo) -> Undone:
    """Take back the requested act, or describe that.

    Raises:
        PalimpError: the act is unknown, or cannot be taken back; the error gives the reason and a remedy.
    """
    act = _act_of_name(context, request.id) if request.id.strip() else _last(context)
    plan = _checked_plan(context.store, act)
    with rolled_back(context.store.connection) if request.dry_run else nullcontext():
        undone = _undone(context, act, plan)
    if request.dry_run:
        context.store.forget()
        return replace(undone, name="")
    return undone


def _undone(context: RequestContext, act: ActRow, plan: Plan) -> Undone:
    store, told = context.store, told_act(context.store, act)
    touched = _touched_memories(store, plan)
    before = visible_states(store, touched)
    with noting(store) as steps:
        stopped_at = take_back(store, plan, context.now_ms)
    if stopped_at is not None:
        raise refusal_of(store, act, Obstacle(stopped_at, stopped_at, "changed"))
    after = visible_states(store, touched)
    _refuse_too_many(store, act, [seq for seq in after if after[seq] != before[seq]])
    doing = Doing("undo", context.caller, context.now_ms, undoes=act.id)
    number = record(store, [(doing, steps)])
    assert number is not None  # noqa: S101  a plan that takes nothing back was refused
    set_undone(store, act, number)
    left = [*left_as_is(store, act, plan), *still_replaced(store, plan, after)]
    return Undone(
        act=told,
        effects=effects_between(store, before, after, plan.back),
        left=left[:ACT_MEMORIES_SHOWN],
        left_total=len(left),
        gone=len(plan.gone),
        name=act_name(number),
    )


# --- which act is meant --------------------------------------------------------------------------


def _last(context: RequestContext) -> ActRow:
    found = _last_acts(context)
    if not found:
        whose = "You have" if author_of(context.caller) == "user" else "This session has"
        text = f"{whose} done nothing in this project that is on record and not undone."
        raise PalimpError(ErrorCode.NOT_FOUND, text, f"{LIST_HINT} `palimp undo ID` undoes what others did.")
    last, *older = found
    told = told_act(context.store, last)
    if not told.is_undoable:
        raise PalimpError(ErrorCode.CONFLICT, _why_not(told), _hint_of_older(context.store, older))
    return last


def _last_acts(context: RequestContext) -> list[ActRow]:
    store, project = context.store, project_row(context.store, context.caller)
    if project is None:
        return []
    session = context.caller.session
    if session is None:
        return last_acts_of_person(store, project, LOOKED_AT)
    return last_acts_of_session(store, project, session.key, LOOKED_AT)


def _hint_of_older(store: Store, older: list[ActRow]) -> str:
    one = next((act for act in older if told_act(store, act).is_undoable), None)
    return f"{NOTHING} What was done before it: `palimp undo {act_name(one.id)}`. {LIST_HINT}" if one else NOTHING


def _act_of_name(context: RequestContext, name: str) -> ActRow:
    act = act_called(context, name)
    if act is None:
        rows, _ = rows_of_names(context, [name])
        if not rows:
            raise no_such_act(name)
        return _last_about(context, rows[0])
    told = told_act(context.store, act)
    if not told.is_undoable:
        again = f" `palimp undo {told.undone_by}` takes that back." if told.undone_by else ""
        raise PalimpError(ErrorCode.CONFLICT, _why_not(told), f"{NOTHING}{again}")
    return act


def _why_not(told: Act) -> str:
    if told.undone_by:
        return f"{told.name} was undone already, by {told.undone_by}."
    if told.kind == "erase":
        return f"{told.name} was `delete --hard` of {count_of(told.total, 'memory')}, which cannot be undone."
    return f"What {told.name} was about was deleted for good since, which cannot be undone."


def _last_about(context: RequestContext, row: Row) -> ActRow:
    store, project = context.store, project_row(context.store, context.caller)
    for act in acts_about(store, project, row.seq) if project is not None else []:
        if act.undone_by is None and act.kind != "undo":
            return act
    text = f"Nothing that was done to {shown_id(row)} is on record and not undone."
    raise PalimpError(ErrorCode.NOT_FOUND, text, f"{NOTHING} {LIST_HINT}")


# --- what it does ----------------------------------------------------------------------------------


def _checked_plan(store: Store, act: ActRow) -> Plan:
    plan = plan_of(store, act)
    in_the_way = [each for each in plan.obstacles if each.is_in_the_way]
    if in_the_way and (act.kind not in PARTLY or not plan.back):
        raise refusal_of(store, act, in_the_way[-1])
    if not plan.back:
        if plan.obstacles:
            raise refusal_of(store, act, plan.obstacles[-1])
        raise PalimpError(ErrorCode.CONFLICT, _why_not(told_act(store, act)), NOTHING)
    return plan


def _touched_memories(store: Store, plan: Plan) -> list[int]:
    own = {step.number for step in plan.back if step.field != "link"}
    links = links_numbered(store, [step.number for step in plan.back if step.field == "link"])
    own |= {end for link, _ in links.values() for end in (link.newer, link.older)}
    return sorted(own | {end for link in links_among(store, sorted(own)) for end in (link.newer, link.older)})


def _refuse_too_many(store: Store, act: ActRow, changed: list[int]) -> None:
    for project in sorted({row.project_id for row in rows_by_seq(store, changed)}):
        pins, mutes = len(pinned_in(store, [project])), count_muted(store, [project])
        if pins > PINS_MAX or mutes > MUTES_MAX:
            what, most = ("pinned", PINS_MAX) if pins > PINS_MAX else ("muted", MUTES_MAX)
            text = f"{act_name(act.id)} cannot be undone now: more than {most} memories would be {what}."
            raise PalimpError(ErrorCode.CONFLICT, text, NOTHING)
