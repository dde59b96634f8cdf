"""Group memories by shared names or tags."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from palimp_protocol.messages.memory_messages import Memory

MEMORIES_MIN: Final = 2
"""Memories that make a subject; one alone says no more than its title."""


class Subject(NamedTuple):
    """Memories that share *name*; empty: the rest."""

    name: str
    memories: list[Memory]


def by_subject(memories: Sequence[Memory]) -> list[Subject]:
    """Return *memories* in their order, each under its commonest subject."""
    named = {each.id: {name.casefold(): name for name in _subjects_of(each)} for each in memories}
    counts = Counter(key for names in named.values() for key in names)
    groups: dict[str, Subject] = {}
    for each in memories:
        names = named[each.id]
        if names:
            key = max(names, key=lambda name: counts[name])
            groups.setdefault(key, Subject(names[key], [])).memories.append(each)
    shared = [group for group in groups.values() if len(group.memories) >= MEMORIES_MIN]
    inside = {each.id for group in shared for each in group.memories}
    left = [each for each in memories if each.id not in inside]
    return [*shared, Subject("", left)] if left else shared


def _subjects_of(memory: Memory) -> list[str]:
    return [*(f"#{tag}" for tag in memory.tags), *memory.names]
