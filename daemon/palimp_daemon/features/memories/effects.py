"""Effects of a write on memories' visible state."""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.marks import marked_among
from palimp_daemon.store.tables.memory_links import decides, links_numbered
from palimp_daemon.store.tables.memory_rows import rows_by_seq, shown_id, states_of
from palimp_daemon.store.tables.rule_checks import numbers_at_breach, own_checks
from palimp_daemon.store.tables.steps import HOLDS, Step
from palimp_protocol.limits import ACT_MEMORIES_SHOWN
from palimp_protocol.messages.act_messages import Effect, EffectKind
from palimp_protocol.messages.memory_messages import Similar

_Became = list[tuple[EffectKind, list[int]]]
"""The effects, and the numbers of each one's memories."""


class Seen(NamedTuple):
    """The visible state of a memory."""

    is_purged: bool
    is_replaced: bool
    is_pinned: bool
    is_muted: bool
    is_proposal: bool
    project: int
    words: tuple[str, str]
    checked: tuple[int, str | None]
    """The reaction to a breach, and the checks, if a person set them."""


_CHANGES: Final[tuple[tuple[EffectKind, Callable[[Seen, Seen], bool]], ...]] = (
    ("deleted", lambda before, after: after.is_purged and not before.is_purged),
    ("restored", lambda before, after: before.is_purged and not after.is_purged),
    ("holds", lambda before, after: before.is_replaced and not (after.is_replaced or after.is_purged)),
    ("replaced", lambda before, after: after.is_replaced and not before.is_replaced),
    ("pinned", lambda before, after: after.is_pinned and not before.is_pinned),
    ("unpinned", lambda before, after: before.is_pinned and not after.is_pinned),
    ("muted", lambda before, after: after.is_muted and not before.is_muted),
    ("unmuted", lambda before, after: before.is_muted and not after.is_muted),
    ("waits", lambda before, after: after.is_proposal and not before.is_proposal),
    ("confirmed", lambda before, after: before.is_proposal and not after.is_proposal),
    ("moved", lambda before, after: after.project != before.project),
    ("reworded", lambda before, after: after.words != before.words),
    ("rechecked", lambda before, after: after.checked != before.checked),
)
"""Each effect, and its test on a memory before and after."""


def visible_states(store: Store, seqs: Sequence[int]) -> dict[int, Seen]:
    """Return the visible state of each of *seqs*."""
    pins, mutes, proposals = (marked_among(store, mark, seqs) for mark in ("pin", "mute", "proposal"))
    at_breach, own = numbers_at_breach(store, seqs), own_checks(store, seqs)
    return {
        seq: Seen(
            state.purged_at is not None,
            state.superseded_by is not None,
            seq in pins,
            seq in mutes,
            seq in proposals,
            state.project_id,
            (state.wording.title, state.wording.tags),
            (at_breach[seq], own[seq]),
        )
        for seq, state in states_of(store, seqs).items()
    }


def effects_between(
    store: Store, before: dict[int, Seen], after: dict[int, Seen], back: Sequence[Step]
) -> list[Effect]:
    """Return the changes from *before* to *after*, made by undoing the steps *back*."""
    changed: _Became = [(kind, [seq for seq in after if became(before[seq], after[seq])]) for kind, became in _CHANGES]
    told: _Became = [*changed, *_of_links(store, back, is_inferred=False)]
    if not any(seqs for _, seqs in told):  # then it was about what was inferred, which says nothing of what is purged
        told = [
            (kind, [seq for seq in seqs if not after[seq].is_purged])
            for kind, seqs in _of_links(store, back, is_inferred=True)
        ]
    return [_effect(store, kind, seqs) for kind, seqs in told if seqs]


def _of_links(store: Store, back: Sequence[Step], *, is_inferred: bool) -> _Became:
    links = links_numbered(store, [step.number for step in back if step.field == "link"])
    older = {
        number: link.older
        for number, (link, _) in links.items()
        if not decides(link) and (link.said_by == "inferred") == is_inferred
    }
    steps = [step for step in back if step.field == "link" and step.number in older]
    return [
        ("unlinked", [older[step.number] for step in steps if step.after == HOLDS]),
        ("linked", [older[step.number] for step in steps if step.before == HOLDS]),
    ]


def _effect(store: Store, kind: EffectKind, seqs: Sequence[int]) -> Effect:
    rows = rows_by_seq(store, sorted(seqs)[:ACT_MEMORIES_SHOWN])
    return Effect(kind=kind, total=len(seqs), memories=[Similar(shown_id(row), row.title) for row in rows])
