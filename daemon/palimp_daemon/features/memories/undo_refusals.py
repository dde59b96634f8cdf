"""Reasons an act cannot be taken back."""

from collections.abc import Mapping
from typing import Final

from palimp_daemon.features.memories.acts_list import LIST_HINT, act_name
from palimp_daemon.features.memories.effects import Seen
from palimp_daemon.features.memories.taking_back import Obstacle, Plan
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.act_rows import ActRow, last_act_with
from palimp_daemon.store.tables.memory_links import decides, links_numbered
from palimp_daemon.store.tables.memory_rows import Row, rows_by_seq, shown_id
from palimp_daemon.store.tables.steps import HOLDS, Field, Step
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.limits import ACT_MEMORIES_SHOWN
from palimp_protocol.messages.act_messages import LeftAsIs
from palimp_protocol.text import quote_text

NOTHING: Final = "Nothing was undone."

_SINCE: Final[dict[Field, str]] = {
    "purged": "was deleted or restored since",
    "text": "was saved again since",
    "pin": "was pinned or unpinned since",
    "mute": "was muted or unmuted since",
    "proposal": "was confirmed since, or waits again",
    "wish": "was moved to all projects since, or was not to be",
    "project": "was moved since",
    "at_breach": "was enforced, or turned on or off, since",
    "checks": "was given other checks since",
    "link": "was linked otherwise since",
    "memory": "was changed since",
    "erased": "was changed since",
}
"""The later change to a memory, by the field that it changed."""


def refusal_of(store: Store, act: ActRow, obstacle: Obstacle) -> PalimpError:
    """Return the error for *obstacle*, with acts to undo first."""
    why, later = _why_changed(store, act, obstacle)
    memory = _memory_of(store, obstacle.step)
    what = f"{shown_id(memory)} {quote_text(memory.title)}" if memory else "What it was about"
    hint = f"{NOTHING} Undo that first: `palimp undo {act_name(later.id)}`." if later else f"{NOTHING} {LIST_HINT}"
    return PalimpError(ErrorCode.CONFLICT, f"{act_name(act.id)} cannot be undone now: {what} {why}.", hint)


def _why_changed(store: Store, act: ActRow, obstacle: Obstacle) -> tuple[str, ActRow | None]:
    later = last_act_with(store, obstacle.changed, act.id)
    by = f" ({act_name(later.id)}, by {_who(later)})" if later else ""
    if obstacle.why == "replaced":
        links = links_numbered(store, [obstacle.changed.number])
        newer = rows_by_seq(store, [links[obstacle.changed.number][0].newer])[0]
        return f"was replaced by {shown_id(newer)} {quote_text(newer.title)} since{by}", later
    if obstacle.step.field == "memory" and obstacle.why == "already":
        return f"was deleted since{by}", later
    return f"{_SINCE[obstacle.changed.field]}{by}", later


def _who(act: ActRow) -> str:
    return "you" if act.author == "user" else act.client or "an agent"


def _memory_of(store: Store, step: Step) -> Row | None:
    if step.field != "link":
        return rows_by_seq(store, [step.number])[0]
    links = links_numbered(store, [step.number])
    return rows_by_seq(store, [links[step.number][0].older])[0] if links else None


def left_as_is(store: Store, act: ActRow, plan: Plan) -> list[LeftAsIs]:
    """Return the unchanged memories of *act*, with reasons."""
    left: list[LeftAsIs] = []
    for place, obstacle in enumerate(reversed(plan.obstacles)):
        memory = _memory_of(store, obstacle.step) if place < ACT_MEMORIES_SHOWN else None
        why = _why_changed(store, act, obstacle)[0] if memory else ""
        left.append(LeftAsIs(id=shown_id(memory) if memory else "", title=memory.title if memory else "", why=why))
    return left


def still_replaced(store: Store, plan: Plan, after: Mapping[int, Seen]) -> list[LeftAsIs]:
    """Return the memories still replaced or deleted after *plan*."""
    numbers = [step.number for step in plan.back if step.field == "link" and step.after == HOLDS]
    older = {link.older for link, _ in links_numbered(store, numbers).values() if decides(link)}
    left: list[LeftAsIs] = []
    for row in rows_by_seq(store, sorted(older)):
        is_purged, is_replaced = after[row.seq].is_purged, after[row.seq].is_replaced
        if is_purged or is_replaced:
            why = "was deleted since" if is_purged else "is replaced by another since"
            left.append(LeftAsIs(id=shown_id(row), title=row.title, why=why))
    return left
