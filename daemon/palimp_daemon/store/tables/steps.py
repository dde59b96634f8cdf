"""Steps: what a write changes about memories, one value each, from which an act is taken back.

Theory
------
An act (`store.tables.acts`) is a list of steps. Each step names one value that can be read and set by itself, with what
it was before and after:

* `memory`: `count` memories from `number` on were stored. Taken back they are purged, for nothing that was stored is
  deleted but by `delete --hard`.
* `purged`, `pin`, `mute`, `proposal`, `wish`: since when the memory `number` is so, in Unix milliseconds; None: it is
  not.
* `project`: the row of `projects` of the memory `number`.
* `text`: title, tags and time of change of the memory `number`.
* `at_breach`: what happens when an act would break the rule `number`, by its place in AT_BREACH.
* `checks`: the checks, as JSON, that a person made for the rule `number`; None: none were made.
* `link`: whether the link `number` holds: 1, or None.
* `erased`: `count` memories were deleted for good. Nothing takes that back, so that it has no numbers.

The tables note what they change where it is changed, if somebody asks for it (`noting`); whoever writes an act does.
Steps are numbers. The texts among them, a `Wording` and checks, are forgotten with their memory.
"""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Final, Literal

from msgspec import Struct

from palimp_daemon.store.store import Store, StoreState

Field = Literal[
    "memory", "purged", "text", "pin", "mute", "proposal", "wish", "project", "at_breach", "checks", "link", "erased"
]  # fmt: skip

TEXTS: Final[tuple[Field, ...]] = ("text", "checks")
"""Fields whose values are texts."""

HOLDS: Final = 1
"""The value of a link that holds, and of a memory that is stored."""


class Wording(Struct, array_like=True, frozen=True):
    """What of a memory's words may change while it stays the same memory."""

    title: str
    tags: str
    updated_at: int | None


class Step(Struct, array_like=True, frozen=True):
    """A change of one value; see the theory above."""

    field: Field
    number: int
    before: int | str | Wording | None = None
    after: int | str | Wording | None = None
    count: int = 1

    @property
    def numbers(self) -> range:
        """The numbers of all that it is about."""
        return range(self.number, self.number + self.count)


def stored(seq: int) -> Step:
    """Return the step that stored the memory *seq*."""
    return Step("memory", seq, None, HOLDS)


def erased(count: int) -> Step:
    """Return the step that deleted *count* memories for good."""
    return Step("erased", 0, HOLDS, None, count)


class NotedSteps(StoreState):
    """The changes of memories by the running write, if somebody asks for them; None: nobody does."""

    def __init__(self) -> None:
        self.steps: list[Step] | None = None


def note(store: Store, step: Step) -> None:
    """Note *step*, which was just done, if somebody asks for steps."""
    steps = store.state(NotedSteps).steps
    if steps is not None:
        steps.append(step)


@contextmanager
def noting(store: Store) -> Generator[list[Step]]:
    """Yield the list of the steps that are done within."""
    noted = store.state(NotedSteps)
    outer, noted.steps = noted.steps, (steps := list[Step]())
    try:
        yield steps
    finally:
        noted.steps = outer


def joined(steps: list[Step]) -> list[Step]:
    """Return *steps*; of memories that were stored one after the other, one step."""
    short: list[Step] = []
    for step in steps:
        last = short[-1] if short else None
        if last and step.field == last.field == "memory" and step.number == last.number + last.count:
            short[-1] = Step("memory", last.number, last.before, last.after, last.count + step.count)
        else:
            short.append(step)
    return short
