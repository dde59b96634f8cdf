"""Take an act back, or find the obstacles.

An obstacle is a value that is no longer the act's, or a memory replaced, purged or saved again since. It stops the
undo; for acts on many memories (PARTLY) only its step. Steps on erased memories are skipped.
"""

from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.act_rows import ActRow, numbers_of_later, steps_of
from palimp_daemon.store.tables.import_origins import forget_origins
from palimp_daemon.store.tables.marks import Mark, marked_among, remove_mark, set_mark
from palimp_daemon.store.tables.memory_links import (
    can_hold,
    links_numbered,
    links_replacing,
    make_again,
    undo_link,
)
from palimp_daemon.store.tables.memory_rows import set_purged, set_wording, states_of
from palimp_daemon.store.tables.moves import set_project
from palimp_daemon.store.tables.rule_checks import numbers_at_breach, own_checks, set_at_breach, set_own_checks
from palimp_daemon.store.tables.steps import HOLDS, Field, Step, Wording
from palimp_protocol.messages.act_messages import ActKind
from palimp_protocol.messages.rule_messages import AT_BREACH

PARTLY: Final[frozenset[ActKind]] = frozenset({"compact", "import", "capture"})
"""Acts on many memories, undone one by one."""

MARKS: Final[tuple[Mark, ...]] = ("pin", "mute", "proposal", "wish")

Values = dict[tuple[Field, int], int | str | Wording | None]
"""Values by the steps' fields and numbers; erased ones are missing."""


class Obstacle(NamedTuple):
    """A step that cannot be taken back, as the value is now *changed*."""

    step: Step
    changed: Step
    why: Literal["already", "replaced", "changed"]

    @property
    def is_in_the_way(self) -> bool:
        """Whether it stops an undo, other than of PARTLY."""
        return self.why != "already" or self.step.field == "memory"


class Plan(NamedTuple):
    """The steps of an undo, and the obstacles."""

    back: list[Step]
    obstacles: list[Obstacle]
    gone: set[int]


class _Since(NamedTuple):
    replaced: dict[int, int]
    """Links that replace them, other than the act's own."""
    said_again: set[int]


def plan_of(store: Store, act: ActRow) -> Plan:
    """Return the plan for taking *act* back."""
    steps = [
        Step(s.field, n, s.before, s.after) for s in steps_of(store, act) for n in s.numbers if s.field != "erased"
    ]
    return _plan_steps(steps, _values_now(store, steps), _since(store, act, steps))


def take_back(store: Store, plan: Plan, now_ms: int) -> Step | None:
    """Take the steps back; return the one that failed, if any."""
    for step in plan.back:
        if not _take_back(store, step, now_ms):
            return step
    forget_origins(store, [step.number for step in plan.back if step.field == "memory"])
    return None


def _plan_steps(steps: Sequence[Step], values: Values, since: _Since) -> Plan:
    values = {**values}
    plan = Plan([], [], set())
    for step in reversed(steps):
        key: tuple[Field, int] = ("purged" if step.field == "memory" else step.field, step.number)
        if key not in values:
            plan.gone.update({step.number} if step.field != "link" else ())
        elif obstacle := _obstacle(step, values[key], since):
            plan.obstacles.append(obstacle)
        else:
            plan.back.append(step)
            values[key] = HOLDS if step.field == "memory" else step.before
    return plan


def _obstacle(step: Step, now: int | str | Wording | None, since: _Since) -> Obstacle | None:
    if step.field != "memory":
        return None if now == step.after else Obstacle(step, step, "already" if now == step.before else "changed")
    if now is not None:
        return Obstacle(step, Step("purged", step.number), "already")
    if step.number in since.replaced:
        return Obstacle(step, Step("link", since.replaced[step.number]), "replaced")
    return Obstacle(step, Step("text", step.number), "changed") if step.number in since.said_again else None


def _take_back(store: Store, step: Step, now_ms: int) -> bool:
    match step:
        case Step(field="memory"):
            set_purged(store, step.number, now_ms)
        case Step(field="purged", before=(int() | None) as purged_at):
            set_purged(store, step.number, purged_at)
        case Step(field="text", before=Wording() as before, after=Wording() as after):
            set_wording(store, step.number, after, before)
        case Step(field=("pin" | "mute" | "proposal" | "wish") as mark, before=int(at)):
            set_mark(store, mark, [step.number], at)
        case Step(field=("pin" | "mute" | "proposal" | "wish") as mark):
            remove_mark(store, mark, [step.number])
        case Step(field="project", before=int(project)):
            return set_project(store, [step.number], project)
        case Step(field="link"):
            return _link_before(store, step, now_ms)
        case _:
            _check_as_before(store, step)
    return True


def _check_as_before(store: Store, step: Step) -> None:
    match step:
        case Step(field="at_breach", before=int(number)):
            set_at_breach(store, step.number, AT_BREACH[number])
        case Step(field="checks", before=(str() | None) as checks):
            set_own_checks(store, step.number, checks)
        case _:
            raise AssertionError(step)


def _link_before(store: Store, step: Step, now_ms: int) -> bool:
    if step.before is None:
        undo_link(store, step.number, now_ms)
        return True
    link, _ = links_numbered(store, [step.number])[step.number]
    if not can_hold(store, link):
        return False
    make_again(store, step.number)
    return True


def _values_now(store: Store, steps: Sequence[Step]) -> Values:
    seqs = sorted({step.number for step in steps if step.field != "link"})
    states = states_of(store, seqs)
    marked = {mark: marked_among(store, mark, seqs) for mark in MARKS}
    links = links_numbered(store, [step.number for step in steps if step.field == "link"])
    at_breach, own = numbers_at_breach(store, seqs), own_checks(store, seqs)
    values: Values = {("link", number): HOLDS if holds else None for number, (_, holds) in links.items()}
    for seq, state in states.items():
        values |= {("purged", seq): state.purged_at, ("text", seq): state.wording, ("project", seq): state.project_id}
        values |= {(mark, seq): marked[mark].get(seq) for mark in MARKS}
        values |= {("at_breach", seq): at_breach[seq], ("checks", seq): own[seq]}
    return values


def _since(store: Store, act: ActRow, steps: Sequence[Step]) -> _Since:
    stored = [step.number for step in steps if step.field == "memory"]
    made = {step.number for step in steps if step.field == "link" and step.after == HOLDS}
    replacing = links_replacing(store, stored)
    return _Since(
        {link.older: link.id for link in replacing if link.id not in made},
        numbers_of_later(store, "text", act.id) if stored else set(),
    )
