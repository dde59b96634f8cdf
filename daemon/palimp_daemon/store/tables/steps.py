"""Steps: changes of one value of a memory each, by which an act (`store.tables.act_rows`) is undone.

`memory`: *count* memories from *number* on were stored. `purged`, `pin`, `mute`, `proposal`, `wish`: the mark's Unix
milliseconds, or None. `project`: a row. `text`: a Wording. `at_breach`: an index into AT_BREACH. `checks`: a person's
JSON, or None. `link`: 1 if in force, or None. `erasing_step`: *count* memories were deleted.
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

HOLDS: Final = 1
"""The value of a valid link, and of a stored memory."""


class Wording(Struct, array_like=True, frozen=True):
    """The mutable words of a memory."""

    title: str
    tags: str
    updated_at: int | None


class Step(Struct, array_like=True, frozen=True):
    """A change of one value; see the module's header."""

    field: Field
    number: int
    before: int | str | Wording | None = None
    after: int | str | Wording | None = None
    count: int = 1

    @property
    def numbers(self) -> range:
        """The numbers that it concerns; none of erased memories."""
        return range(self.number, self.number + (self.count if self.field != "erased" else 0))


def storing_step(seq: int) -> Step:
    """Return the step that stored *seq*."""
    return Step("memory", seq, None, HOLDS)


def erasing_step(count: int) -> Step:
    """Return the step that erased *count* memories."""
    return Step("erased", 0, HOLDS, None, count)


class NotedSteps(StoreState):
    """The steps of the running write; None if not wanted."""

    def __init__(self) -> None:
        self.steps: list[Step] | None = None


def note(store: Store, step: Step) -> None:
    """Note the completed *step*, if wanted."""
    steps = store.state(NotedSteps).steps
    if steps is not None:
        steps.append(step)


@contextmanager
def noting(store: Store) -> Generator[list[Step]]:
    """Yield a list that collects the steps within."""
    noted = store.state(NotedSteps)
    outer, noted.steps = noted.steps, (steps := list[Step]())
    try:
        yield steps
    finally:
        noted.steps = outer


def join_steps(steps: list[Step]) -> list[Step]:
    """Merge steps of memories stored one after the other."""
    short: list[Step] = []
    for step in steps:
        last = short[-1] if short else None
        if last and step.field == last.field == "memory" and step.number == last.number + last.count:
            short[-1] = Step("memory", last.number, last.before, last.after, last.count + step.count)
        else:
            short.append(step)
    return short
