"""Messages of merging memories."""

from msgspec import Struct


class Compact(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Find memories with the same content, and replaced ones."""

    apply: bool = False
    """Merge; else only plan."""


class Merge(Struct, frozen=True, kw_only=True):
    """A memory superseded by a newer one."""

    id: str
    title: str
    into: str
    into_title: str
    why: str
    """`says the same`, or `replaced by it`."""
    similarity: float = 0.0
    """Of their words, 0 to 1."""


class Compacted(Struct, frozen=True, kw_only=True):
    """Merges and other tidying, planned or done."""

    merges: list[Merge]
    total: int
    """Number of merges; *merges* are the first."""
    is_applied: bool = False
    compared: int = 0
    tidied: list[str] = []
    """Other repairs, a sentence each."""
    notes: list[str] = []


class Progress(Struct, frozen=True, forbid_unknown_fields=True):
    """Ask for the running `compact`'s progress."""


class ProgressMade(Struct, frozen=True, kw_only=True):
    """Progress; *total* is 0 if none runs."""

    step: str = ""
    done: int = 0
    total: int = 0
