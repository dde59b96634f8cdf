"""What a write does to memories, in terms of what people see of them: which hold, which are pinned, and so on."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.marks import marked_among
from palimp_daemon.store.tables.memories import rows_by_seq, shown_id, states_of
from palimp_daemon.store.tables.memory_links import decides, links_numbered
from palimp_daemon.store.tables.steps import HOLDS, Step
from palimp_protocol.limits import ACT_MEMORIES_SHOWN
from palimp_protocol.messages.acts import Effect, EffectKind
from palimp_protocol.messages.memories import Similar


class Seen(NamedTuple):
    """What people see of a memory."""

    is_purged: bool
    is_replaced: bool
    is_pinned: bool
    is_muted: bool
    is_proposal: bool
    words: tuple[str, str]
    """Title and tags."""


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
    ("reworded", lambda before, after: after.words != before.words),
)
"""Each effect, and whether it is what became of a memory."""


def seen(store: Store, seqs: Sequence[int]) -> dict[int, Seen]:
    """Return what people see of the memories *seqs*."""
    pins, mutes, proposals = (marked_among(store, mark, seqs) for mark in ("pin", "mute", "proposal"))
    return {
        seq: Seen(
            state.purged_at is not None,
            state.superseded_by is not None,
            seq in pins,
            seq in mutes,
            seq in proposals,
            (state.wording.title, state.wording.tags),
        )
        for seq, state in states_of(store, seqs).items()
    }


def effects_between(
    store: Store, before: dict[int, Seen], after: dict[int, Seen], back: Sequence[Step]
) -> list[Effect]:
    """Return what became of memories *before* and *after* the steps *back* were taken back."""
    found: list[tuple[EffectKind, list[int]]] = [
        (kind, [seq for seq in after if became(before[seq], after[seq])]) for kind, became in _CHANGES
    ]
    return [_effect(store, kind, seqs) for kind, seqs in [*found, *_of_links(store, back)] if seqs]


def _of_links(store: Store, back: Sequence[Step]) -> Iterator[tuple[EffectKind, list[int]]]:
    """Yield the older memories of links that replaced nothing, and hold no more, or again.

    What was inferred when a memory was stored goes with it, and is not told.
    """
    links = links_numbered(store, [step.number for step in back if step.field == "link"])
    is_told = not any(step.field == "memory" for step in back)
    others = {
        n: link.older for n, (link, _) in links.items() if not decides(link) and (is_told or link.said_by != "inferred")
    }
    yield "unlinked", [others[s.number] for s in back if s.field == "link" and s.number in others and s.after == HOLDS]
    yield "linked", [others[s.number] for s in back if s.field == "link" and s.number in others and s.before == HOLDS]


def _effect(store: Store, kind: EffectKind, seqs: Sequence[int]) -> Effect:
    rows = rows_by_seq(store, sorted(seqs)[:ACT_MEMORIES_SHOWN])
    return Effect(kind=kind, total=len(seqs), memories=[Similar(shown_id(row), row.title) for row in rows])
