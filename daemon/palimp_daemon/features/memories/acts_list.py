"""`acts`: list the acts on a project's memories."""

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_daemon.features.memories.memory_names import rows_of_names
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store, project_row
from palimp_daemon.store.tables.act_rows import (
    ActRow,
    act_numbered,
    acts_naming,
    acts_of,
    acts_with_steps,
    count_acts,
    last_act_with,
    steps_of,
)
from palimp_daemon.store.tables.memory_links import MemoryLink, links_numbered, numbers_of_links
from palimp_daemon.store.tables.memory_rows import rows_by_seq, shown_id, states_of
from palimp_daemon.store.tables.steps import HOLDS, Field, Step
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import ACT_MEMORIES_SHOWN, ACTS_KEPT
from palimp_protocol.messages.act_messages import Act, ActKind, ActLink, ActList, Acts
from palimp_protocol.messages.memory_messages import Similar

_NAME: Final = re.compile(r"(act|link)?(\d{1,18})")

_REVIEWED: Final[frozenset[Field]] = frozenset({"purged", "proposal", "project", "wish"})
"""Fields of a review's steps that name its memories, dropped or kept."""

LOOKED_THROUGH_MAX: Final = 3 * ACTS_KEPT
"""Acts searched for those on a memory: all kept of people, agents, and earlier versions."""

LIST_HINT: Final = "`palimp undo --list` shows what was done."

_TOLD_FIRST: Final[tuple[frozenset[Field], ...]] = (
    frozenset({"memory"}),
    frozenset({"purged", "text", "pin", "mute", "project", "wish", "at_breach", "checks"}),
    frozenset({"link"}),
    frozenset({"proposal"}),
)
"""Groups of fields: the steps of the first group that has any name the act's memories."""


def act_name(number: int) -> str:
    """Return the displayed name of act *number*."""
    return f"act{number}"


def list_acts(context: RequestContext, request: Acts) -> ActList:
    """Return the requested acts.

    Raises:
        PalimpError: there is no such act or memory.
    """
    store, project = context.store, project_row(context.store, context.caller)
    if project is None:
        return ActList(acts=[], total=0)
    before = None
    if request.before and (before := act_called(context, request.before)) is None:
        raise no_such_act(request.before)
    number = before.id if before else None
    if not request.id:
        found = acts_of(store, project, request.limit, number)
        return ActList(acts=[told_act(store, each) for each in found], total=count_acts(store, project))
    rows, _ = rows_of_names(context, [request.id])
    if not rows:
        raise no_such_act(request.id)
    about = acts_about(store, project, rows[0].seq)
    shown = [each for each in about if number is None or each.id < number][: request.limit]
    return ActList(acts=[told_act(store, each) for each in shown], total=len(about))


def acts_about(store: Store, project: int, seq: int) -> list[ActRow]:
    """Return the acts of *project* on the memory *seq*, newest first."""
    links = numbers_of_links(store, seq)
    found = acts_naming(store, project, seq, links, LOOKED_THROUGH_MAX)
    return [act for act, steps in acts_with_steps(store, found) if any(_is_about(step, seq, links) for step in steps)]


def _is_about(step: Step, seq: int, links: set[int]) -> bool:
    return step.number in links if step.field == "link" else seq in step.numbers


def act_called(context: RequestContext, name: str) -> ActRow | None:
    """Return the project's act `act12`, or the one that made `link12`."""
    match = _NAME.fullmatch(name.strip().lower())
    if match is None:
        return None
    store, number = context.store, int(match[2])
    act = last_act_with(store, Step("link", number), 0) if match[1] == "link" else act_numbered(store, number)
    return act if act and act.project == project_row(store, context.caller) else None


def no_such_act(name: str) -> PalimpError:
    """Return the error for an unknown act or memory."""
    return PalimpError(ErrorCode.NOT_FOUND, f"{name}: no such act or memory in this project.", LIST_HINT)


class _Subject(NamedTuple):
    memories: list[int]
    links: list[MemoryLink]
    total: int


def told_act(store: Store, act: ActRow) -> Act:
    """Return *act* for display, with present titles."""
    subject = _subject(store, act, _in_order(store, act, steps_of(store, act)))
    shown = rows_by_seq(store, subject.memories[:ACT_MEMORIES_SHOWN])
    links = subject.links[:ACT_MEMORIES_SHOWN]
    ends = sorted({end for link in links for end in (link.newer, link.older)})
    titles = {row.seq: Similar(shown_id(row), row.title) for row in rows_by_seq(store, ends)}
    return Act(
        name=act_name(act.id),
        kind=act.kind,
        at=act.at,
        author=act.author,
        client=act.client,
        session=act.session,
        total=subject.total,
        memories=[Similar(shown_id(row), row.title) for row in shown],
        links=[ActLink(newer=titles[one.newer], older=titles[one.older], relation=one.relation) for one in links],
        undoes=act_name(act.undoes) if act.undoes else "",
        undone_by=act_name(act.undone_by) if act.undone_by else "",
        is_undoable=act.undone_by is None and bool(subject.memories or subject.links),
    )


def _in_order(store: Store, act: ActRow, steps: list[Step]) -> list[Step]:
    """Return *steps* in the order of the act undone in the end."""
    if act.undoes is None:
        return steps
    undone = act_numbered(store, act.undoes)
    return _in_order(store, undone, steps[::-1]) if undone else steps[::-1]


def _subject(store: Store, act: ActRow, steps: Sequence[Step]) -> _Subject:
    of_links = [step for step in steps if step.field == "link"]
    made = [step for step in of_links if step.after == HOLDS] or of_links
    known = links_numbered(store, [step.number for step in made])
    links = [known[step.number][0] for step in made if step.number in known]
    if act.kind not in ("decide", "undo"):  # which may be about nothing else
        links = [link for link in links if link.said_by != "inferred"]
    numbers = _numbers(act.kind, steps, links)
    states = states_of(store, numbers)
    memories = [number for number in numbers if number in states]
    return _Subject(memories, links, len(memories) or sum(step.count for step in steps if step.field == "erased"))


def _numbers(kind: ActKind, steps: Sequence[Step], links: Sequence[MemoryLink]) -> list[int]:
    for fields in (_REVIEWED,) if kind == "review" else _TOLD_FIRST:
        found = [number for step in steps if step.field in fields and step.field != "link" for number in step.numbers]
        if "link" in fields:
            found = [link.older if kind == "compact" else link.newer for link in links]
        if found:
            return list(dict.fromkeys(found))
    return []
