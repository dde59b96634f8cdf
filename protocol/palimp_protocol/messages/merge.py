"""Requests and replies of merging memories; `links` has those of undoing it."""

from typing import Annotated

from msgspec import Meta, Struct


class Compact(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Find memories that say the same, and those that others say they replace."""

    apply: Annotated[bool, Meta(description="Merge them; without, only the plan is shown.")] = False


class Merge(Struct, frozen=True, kw_only=True):
    """A memory that is superseded by a newer one."""

    id: str
    title: str
    into: str
    """The id of the newer one."""
    into_title: str
    why: str
    """`says the same`, or `replaced by it`."""
    similarity: float = 0.0
    """Of their words, 0 to 1."""


class Compacted(Struct, frozen=True, kw_only=True):
    """What would be, or was, merged and tidied."""

    merges: list[Merge]
    total: int
    """How many there are, of which *merges* are the first."""
    is_applied: bool = False
    compared: int = 0
    """Pairs of memories whose texts were compared."""
    tidied: list[str] = []
    """What else was done, a sentence each."""
    notes: list[str] = []


class Progress(Struct, frozen=True, forbid_unknown_fields=True):
    """Ask how far a running `compact` of this project is."""


class ProgressMade(Struct, frozen=True, kw_only=True):
    """How far it is; *total* is 0 when none runs."""

    step: str = ""
    done: int = 0
    total: int = 0
